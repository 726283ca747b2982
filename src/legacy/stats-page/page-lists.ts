import type { PageDimension, PageStatistics } from '../../analytics/link-statistics.service';
import { referrerLabel } from '../../analytics/report/referrer-label';
import type { Row, RowList } from './statistics-view';

const PAGE_LISTS = [
  ['referrer', 'Referrers'],
  ['country', 'Countries'],
  ['city', 'Cities'],
  ['device', 'Devices'],
  ['browser', 'Browsers'],
  ['os', 'Operating systems'],
  ['utm_source', 'Sources'],
  ['utm_medium', 'Mediums'],
  ['utm_campaign', 'Campaigns'],
  ['bot', 'Bots'],
] as const satisfies [PageDimension, string][];

const CAMPAIGNS = ['utm_source', 'utm_medium', 'utm_campaign'] as const;
const NO_CAMPAIGN_LABEL = '(none)';

type CountedLists = PageStatistics['lists'];

/** Returns lists with display labels. Omits campaigns if no click has one. */
export function pageLists(lists: CountedLists): RowList[] {
  const empty = new Set<PageDimension>(CAMPAIGNS.filter((name) => !isCampaign(lists[name].rows)));
  return PAGE_LISTS.filter(([dimension]) => !empty.has(dimension)).map(([dimension, title]) => ({
    title,
    rows: readable(dimension, lists[dimension].rows),
    cut: lists[dimension].cut,
  }));
}

export function hasCampaigns(lists: CountedLists): boolean {
  return CAMPAIGNS.some((name) => isCampaign(lists[name].rows));
}

function isCampaign(rows: readonly Row[]): boolean {
  return rows.some(({ label }) => label !== NO_CAMPAIGN_LABEL);
}

function readable(dimension: PageDimension, rows: readonly Row[]): readonly Row[] {
  if (dimension === 'referrer') return readableReferrers(rows);
  return dimension === 'device' ? rows.map(capitalised) : rows;
}

/** If several referrers have the same label, only the one with the most clicks gets the label. */
function readableReferrers(rows: readonly Row[]): Row[] {
  const taken = new Set<string>();
  return rows.map((row) => {
    const short = referrerLabel(row.label);
    const label = taken.has(short) ? row.label : short;
    taken.add(label);
    return { ...row, label };
  });
}

function capitalised(row: Row): Row {
  return { ...row, label: row.label.charAt(0).toUpperCase() + row.label.slice(1) };
}

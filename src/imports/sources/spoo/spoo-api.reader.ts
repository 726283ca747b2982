import { isDeepStrictEqual } from 'node:util';
import { DAY_MS, parseTime } from '../../../common/time';
import { type CountSeries, clicksOfUnits } from '../../../stores/imported-counts/imported-counts';
import { SeriesBuilder } from '../../../stores/imported-counts/series-builder';
import { type JsonFields, toFields, toText } from '../../reading/json-answer';
import type { SourceApi } from '../../reading/source-api';
import type { Import } from '../../store/import';
import {
  type FoundRow,
  type ImportReader,
  MAX_PAGE_ROWS,
  type ReadPage,
  wantedRows,
} from '../../reading/import-reader';
import { addStatistics, SPOO_STATISTICS_DIMENSIONS } from './spoo-statistics';
import { spooLink } from './spoo-link';

const SPOO_PAGE_SIZE = 100;
const MAX_SPOO_PAGES = 100_000;
/** spoo.me refuses spans over 90 days, and omits daily figures for spans over 31 days. */
const QUERY_SPAN_MS = 30 * DAY_MS;
/** Maximum spans per link: some sixteen years. */
const MAX_SPANS = 200;

interface SpooApiPosition {
  readonly page: number;
  readonly after: string;
}

export function spooApiReader(api: SourceApi): ImportReader {
  return {
    async page(
      dataImport: Import,
      position: SpooApiPosition | null,
      firstRow: number,
    ): Promise<ReadPage> {
      const { page, after } = position ?? { page: 1, after: '' };
      // Links created or removed meanwhile shift the page boundaries.
      const [before, here] = await Promise.all([
        page > 1 ? readSpooPage(api, page - 1) : null,
        readSpooPage(api, page),
      ]);
      const both = [...(before?.items ?? []), ...here.items];
      const border = after === '' ? -1 : both.findIndex((item) => itemId(item) === after);
      const items = both.slice(border + 1);
      const rows = await Promise.all(
        items.map(async (item, i) => readLinkWithHistory(api, dataImport, item, firstRow + i)),
      );
      const next: SpooApiPosition = { page: page + 1, after: itemId(here.items.at(-1)) };
      const isEnd = here.isLast || page >= MAX_SPOO_PAGES;
      return { rows, nextRow: firstRow + rows.length, next: isEnd ? null : next };
    },
  };
}

async function readSpooPage(
  api: SourceApi,
  page: number,
): Promise<{ items: readonly unknown[]; isLast: boolean }> {
  const query = { page, pageSize: SPOO_PAGE_SIZE, sortBy: 'created_at', sortOrder: 'ascending' };
  const answer = toFields(await api.json('/api/v1/urls', query));
  const items = answer?.items;
  if (answer === null || !Array.isArray(items)) throw api.shapeError();
  if (items.length > MAX_PAGE_ROWS) throw api.shapeError('answered with too much');
  const hasNext =
    typeof answer.hasNext === 'boolean' ? answer.hasNext : items.length >= SPOO_PAGE_SIZE;
  return { items, isLast: !hasNext || items.length === 0 };
}

function itemId(item: unknown): string {
  const link = toFields(item);
  return (toText(link?.id) || toText(link?.alias)).slice(0, 200);
}

async function readLinkWithHistory(
  api: SourceApi,
  dataImport: Import,
  item: unknown,
  row: number,
): Promise<FoundRow> {
  const document = toFields(item);
  if (document === null) return { row, problem: 'no link' };
  const link = await spooLink(row, document);
  const isAsked = !dataImport.dryRun && dataImport.options.history !== 'none';
  if (!isAsked || 'problem' in link || link.pastClicks === 0) return link;
  if (link.alias === null || wantedRows(dataImport, [link]).length === 0) return link;
  const counts = await readCounts(api, document, link.createdAt);
  return { ...link, pastClicks: Math.max(link.pastClicks, clicksOfUnits(counts)), counts };
}

/** Goes back from the last click until the reported total is reached. */
async function readCounts(
  api: SourceApi,
  document: JsonFields,
  createdAt: Date | null,
): Promise<CountSeries> {
  const series = new SeriesBuilder({ granularity: 'day', timezone: 'UTC' });
  const total = Number(toText(document.total_clicks)) || 0;
  const born = createdAt?.getTime() ?? 0;
  // Whole days, so that a repeated step sends identical requests.
  let day = startOfDay(parseTime(toText(document.last_click)) ?? Date.now());
  let found = 0;
  let before: unknown = null;
  for (let span = 0; span < MAX_SPANS && found < total && day + DAY_MS > born; span++) {
    const start = Math.max(day + DAY_MS - QUERY_SPAN_MS, startOfDay(born));
    const question = spanQuery(document, start, day + DAY_MS - 1);
    const answer = await api.jsonIfAny('/api/v1/stats', question);
    // A key without the statistics permission still provides the total.
    if (answer === null) break;
    // A service that ignores the span returns the same clicks again.
    if (found > 0 && isDeepStrictEqual(toFields(answer)?.metrics, before)) break;
    const clicks = addStatistics(series, answer);
    if (clicks === null) throw api.shapeError();
    found += clicks;
    before = clicks > 0 ? toFields(answer)?.metrics : null;
    day = start - DAY_MS;
  }
  return series.build();
}

function startOfDay(at: number): number {
  return at - (at % DAY_MS);
}

function spanQuery(
  { id, alias }: JsonFields,
  start: number,
  end: number,
): Readonly<Record<string, string>> {
  const url_id = toText(id);
  return {
    scope: 'all',
    short_code: toText(alias),
    // Two domains may share an alias.
    ...(/^[0-9a-f]{24}$/.test(url_id) && { url_id }),
    start_date: new Date(start).toISOString(),
    end_date: new Date(end).toISOString(),
    group_by: ['time', ...SPOO_STATISTICS_DIMENSIONS].join(','),
    metrics: 'clicks',
    timezone: 'UTC',
    bucket: 'day',
  };
}

import { isDeepStrictEqual } from 'node:util';
import { DAY_MS, parseTime } from '../../../common/time';
import {
  clicksOfUnits,
  type CountedDimension,
  type CountSeries,
} from '../../../stores/imported-counts/imported-counts';
import { SeriesBuilder } from '../../../stores/imported-counts/series-builder';
import {
  countryLabel,
  deviceLabel,
  sourceReferrerLabel,
  valueLabel,
} from '../../reading/count-labels';
import {
  type FoundRow,
  type ImportReader,
  MAX_PAGE_ROWS,
  type ReadPage,
  wantedRows,
} from '../../reading/import-reader';
import {
  type JsonFields,
  type LinkKeys,
  linkOfJson,
  parseSettings,
  toFields,
  toNumber,
  toText,
} from '../../reading/json-answer';
import type { SourceApi } from '../../reading/source-api';
import { type SourceSettings, withDropped } from '../../reading/source-link';
import type { Import } from '../../store/import';

const SPOO_PAGE_SIZE = 100;
const MAX_SPOO_PAGES = 100_000;
/** spoo.me rejects spans over 90 days, and returns no daily counts for spans over 31 days. */
const QUERY_SPAN_MS = 30 * DAY_MS;
/** Maximum spans per link (about 16 years). */
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
      // Links created or deleted between two requests shift the page boundaries.
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
      const { total } = here;
      return { rows, nextRow: firstRow + rows.length, next: isEnd ? null : next, total };
    },
  };
}

async function readSpooPage(
  api: SourceApi,
  page: number,
): Promise<{ items: readonly unknown[]; isLast: boolean; total: number | undefined }> {
  const query = { page, pageSize: SPOO_PAGE_SIZE, sortBy: 'created_at', sortOrder: 'ascending' };
  const answer = toFields(await api.json('/api/v1/urls', query));
  const items = answer?.items;
  if (answer === null || !Array.isArray(items)) throw api.shapeError();
  if (items.length > MAX_PAGE_ROWS) throw api.shapeError('returned too much data');
  const hasNext =
    typeof answer.hasNext === 'boolean' ? answer.hasNext : items.length >= SPOO_PAGE_SIZE;
  const total = toNumber(answer.total) ?? undefined;
  return { items, isLast: !hasNext || items.length === 0, total };
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
  const isWanted = !dataImport.dryRun && dataImport.options.history !== 'none';
  if (!isWanted || 'problem' in link || link.pastClicks === 0) return link;
  if (link.alias === null || wantedRows(dataImport, [link]).length === 0) return link;
  const counts = await readCounts(api, document, link.createdAt);
  return { ...link, pastClicks: Math.max(link.pastClicks, clicksOfUnits(counts)), counts };
}

/** Reads spans backwards from the last click until the reported total is reached. */
async function readCounts(
  api: SourceApi,
  document: JsonFields,
  createdAt: Date | null,
): Promise<CountSeries> {
  const series = new SeriesBuilder({ granularity: 'day', timezone: 'UTC' });
  const total = Number(toText(document.total_clicks)) || 0;
  const born = createdAt?.getTime() ?? 0;
  // Spans consist of whole days, so that a repeated step sends identical requests.
  let day = startOfDay(parseTime(toText(document.last_click)) ?? Date.now());
  let found = 0;
  let before: unknown = null;
  for (let span = 0; span < MAX_SPANS && found < total && day + DAY_MS > born; span++) {
    const start = Math.max(day + DAY_MS - QUERY_SPAN_MS, startOfDay(born));
    const question = spanQuery(document, start, day + DAY_MS - 1);
    const answer = await api.jsonIfAny('/api/v1/stats', question);
    // Without the statistics permission, the key still provides the total.
    if (answer === null) break;
    // A service that ignores the dates returns the same clicks for every span.
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
    // The id is needed because links on two domains may have the same alias.
    ...(/^[0-9a-f]{24}$/.test(url_id) && { url_id }),
    start_date: new Date(start).toISOString(),
    end_date: new Date(end).toISOString(),
    group_by: ['time', ...SPOO_STATISTICS_DIMENSIONS].join(','),
    metrics: 'clicks',
    timezone: 'UTC',
    bucket: 'day',
  };
}

const SPOO_KEYS: LinkKeys = {
  long_url: 'long_url',
  alias: 'alias',
  short_url: 'short_url',
  domain: 'domain',
  max_clicks: 'max_clicks',
  clicks: 'total_clicks',
  password: 'password_set',
  created_at: 'created_at',
  expire_after: 'expire_after',
  archived: 'status',
};
const FEATURES = ['geo_rules', 'meta_tags'];

/** Parses a link in spoo.me's list, whose times are in UTC. */
async function spooLink(row: number, item: JsonFields): Promise<FoundRow> {
  const isActive = /^(?:|active)$/i.test(toText(item.status));
  const fields = 'status' in item ? { ...item, status: isActive ? '' : 'yes' } : item;
  const link = linkOfJson(fields, row, SPOO_KEYS, { timezone: 'UTC' });
  if ('problem' in link) return link;
  const settings = await readGeoRules(item);
  const dropped = (settings === null ? FEATURES : ['meta_tags']).filter((name) =>
    isSet(item[name]),
  );
  return {
    ...withDropped(link, item, dropped),
    ...(settings !== null && { settings }),
    blockBots: isYes(item.block_bots),
    privateStats: isYes(item.private_stats ?? true),
  };
}

function isYes(value: unknown): boolean {
  return /^(?:true|yes|1)$/i.test(toText(value));
}

/** Reads destinations by country; null if missing or invalid. */
async function readGeoRules(item: JsonFields): Promise<SourceSettings | null> {
  const geo_rules = toFields(item.geo_rules);
  const isFlat = Object.values(geo_rules ?? {}).every((value) => typeof value === 'string');
  if (!isFlat || !isSet(geo_rules)) return null;
  const dropped = {};
  const settings = await parseSettings({ geo_rules }, ['geo_rules'], dropped);
  return isSet(dropped) ? null : settings;
}

function isSet(value: unknown): boolean {
  return typeof value === 'object' && value !== null && Object.keys(value).length > 0;
}

const SPOO_LABELS: readonly (readonly [CountedDimension, (value: string) => string])[] = [
  ['browser', valueLabel],
  ['os', valueLabel],
  ['device', deviceLabel],
  ['country', countryLabel],
  ['city', valueLabel],
  ['referrer', sourceReferrerLabel],
];
const SPOO_STATISTICS_DIMENSIONS = SPOO_LABELS.map(([dimension]) => dimension);
/** Maximum points per list; clicks at other points count only in the total. */
const MAX_POINTS = 1000;

/**
 * Sums clicks by UTC day; clicks reported for a longer period count only in the total.
 * @returns the number of clicks in the span; null if the response is malformed
 */
function addStatistics(series: SeriesBuilder, answer: unknown): number | null {
  const found = toFields(answer);
  const [summary, metrics] = [toFields(found?.summary), toFields(found?.metrics)];
  const clicks = toNumber(summary?.total_clicks);
  if (found === null || summary === null || metrics === null || clicks === null) return null;
  const [first, last] = [summary.first_click, summary.last_click].map((text) =>
    parseTime(toText(text)),
  );
  if (first != null && last != null && clicks > 0) series.addSpan(first, last);
  const strategy = toText(toFields(found.time_bucket_info)?.strategy);
  if (!/^(?:weekly|monthly)$/.test(strategy)) {
    for (const point of metricPoints(metrics, 'time')) {
      const at = parseDay(toText(point.time));
      if (at !== null) series.addUnit(at, point.clicks);
    }
  }
  for (const [dimension, labelOf] of SPOO_LABELS) {
    for (const point of metricPoints(metrics, dimension)) {
      series.addValue(dimension, labelOf(toText(point[dimension])), point.clicks);
    }
  }
  return clicks;
}

function metricPoints(metrics: JsonFields, dimension: string): readonly JsonFields[] {
  const points = metrics[`clicks_by_${dimension}`];
  if (!Array.isArray(points)) return [];
  return points
    .slice(0, MAX_POINTS)
    .map(toFields)
    .filter((point) => point !== null);
}

/** Returns the label's UTC day; null if the label covers a longer period. */
function parseDay(label: string): number | null {
  const at = /^\d{4}-\d{2}-\d{2}/.test(label) ? parseTime(label.slice(0, 10)) : null;
  return at === null ? null : at - (at % DAY_MS);
}

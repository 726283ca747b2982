import { ownZone, usableZone } from '../data/zones';
import { RANGES, type Range, spanOf, type Span } from './span';

/** Dimensions that clicks are broken down by, besides time. */
export const DIMENSIONS = [
  'referrer',
  'utm_source',
  'utm_medium',
  'utm_campaign',
  'country',
  'city',
  'browser',
  'os',
  'device',
  'short_code',
  'tag',
  'audience',
  'trigger',
  'variant',
] as const;
export type Dimension = (typeof DIMENSIONS)[number];

/** Each click is of one of these. */
export const CLASSES = ['human', 'preview', 'bot'] as const;

export const AUDIENCES = ['all', ...CLASSES] as const;
export type Audience = (typeof AUDIENCES)[number];

const INTERVALS = ['hour', 'day', 'week', 'month'] as const;
export type Interval = (typeof INTERVALS)[number];

/** Choices of the statistics, as their address says them. */
export interface StatsQuery {
  readonly range: Range;
  readonly from: string;
  readonly to: string;
  readonly zone: string;
  readonly audience: Audience;
  readonly compares: boolean;
  /** How time is cut; null where the range says it. */
  readonly interval: Interval | null;
  readonly filters: Readonly<Partial<Record<Dimension, readonly string[]>>>;
}

const DEFAULT_AUDIENCE: Audience = 'human';
export const DEFAULT_RANGE: Range = '30d';
const FILTER = 'f.';

export function readStatsQuery(search: URLSearchParams): StatsQuery {
  const zone = search.get('zone') ?? '';
  const [from, to] = ['from', 'to'].map((name) => dayOf(search.get(name))) as [string, string];
  const isCustom = search.get('range') === 'custom' && (from !== '' || to !== '');
  const isBackwards = from !== '' && to !== '' && from > to;
  return {
    range: isCustom
      ? 'custom'
      : (RANGES.find((range) => range === search.get('range')) ?? DEFAULT_RANGE),
    from: isBackwards ? to : from,
    to: isBackwards ? from : to,
    zone: zone === '' ? ownZone() : usableZone(zone),
    audience: AUDIENCES.find((each) => each === search.get('audience')) ?? DEFAULT_AUDIENCE,
    compares: search.get('compare') === 'yes',
    interval: INTERVALS.find((each) => each === search.get('interval')) ?? null,
    filters: Object.fromEntries(
      DIMENSIONS.map((name) => [name, search.getAll(FILTER + name)] as const).filter(
        ([name, values]) => name !== 'audience' && values.length > 0,
      ),
    ),
  };
}

function dayOf(text: string | null): string {
  if (text === null || !/^\d{4}-\d\d-\d\d$/.test(text)) return '';
  return Number.isNaN(Date.parse(text)) ? '' : text;
}

/** How the address names a dimension whose tab is open. */
const tabOf = (name: Dimension): string => name.replace('utm_', '');

/** The dimension of a group that the address has opened, else its first. */
export function openDimension(
  search: URLSearchParams,
  dimensions: readonly Dimension[],
): Dimension | undefined {
  const open = search.getAll('by');
  return dimensions.find((name) => open.includes(tabOf(name))) ?? dimensions[0];
}

/** The address with a dimension opened in place of the others of its group. */
export function withOpen(
  search: URLSearchParams,
  name: Dimension,
  dimensions: readonly Dimension[],
): URLSearchParams {
  const next = new URLSearchParams(search);
  for (const each of dimensions) next.delete('by', tabOf(each));
  if (name !== dimensions[0]) next.append('by', tabOf(name));
  return next;
}

/** How the address says an audience. */
export const audienceParameter = (audience: Audience): string | null =>
  audience === DEFAULT_AUDIENCE ? null : audience;

/** Whether only clicks with that value are shown. */
export function isFilteredBy(
  { audience, filters }: StatsQuery,
  name: Dimension,
  value?: string,
): boolean {
  if (name === 'audience') return value === undefined ? audience !== 'all' : audience === value;
  const values = filters[name];
  return values !== undefined && (value === undefined || values.includes(value));
}

/** The address with a filter set, or taken away where it is set already. */
export function withFilter(
  search: URLSearchParams,
  name: Dimension,
  value: string,
): URLSearchParams {
  const next = new URLSearchParams(search);
  if (name === 'audience') return withAudience(next, value);
  if (next.has(FILTER + name, value)) next.delete(FILTER + name, value);
  else next.append(FILTER + name, value);
  return next;
}

/** A class is chosen in place of another; choosing it once more shows all. */
function withAudience(search: URLSearchParams, value: string): URLSearchParams {
  const isShown = readStatsQuery(search).audience === value;
  const shown = AUDIENCES.find((each) => each === value && !isShown) ?? 'all';
  const parameter = audienceParameter(shown);
  if (parameter === null) search.delete('audience');
  else search.set('audience', parameter);
  return search;
}

export function withoutFilters(search: URLSearchParams): URLSearchParams {
  const next = new URLSearchParams(search);
  for (const name of DIMENSIONS) next.delete(FILTER + name);
  return next;
}

/** How lists are cut: that over time, and how many rows the others have. */
export interface Cut {
  readonly interval?: Interval | null;
  readonly limit?: number;
}

/** Parameters of the API (docs/contract.md#9.1) for what is asked, over a stretch of time. */
export function parametersOf(
  { zone, audience, filters }: StatsQuery,
  { start, end }: Span,
  groupBy: readonly string[],
  { interval = null, limit }: Cut = {},
) {
  return {
    ...(start === null ? {} : { start_date: start.toISOString() }),
    ...(end === null ? {} : { end_date: end.toISOString() }),
    timezone: zone,
    group_by: groupBy.join(','),
    ...(audience === 'all' ? {} : { audience }),
    ...(interval === null ? {} : { bucket: interval }),
    ...(limit === undefined ? {} : { limit }),
    ...(Object.keys(filters).length === 0 ? {} : { filters: JSON.stringify(filters) }),
  };
}

/** Intervals that a span can be shown by: no more columns than can be told apart. */
export function intervalsFor({ days }: Span): readonly Interval[] {
  const most = { hour: 14, day: 366, week: 7000, month: Infinity } as const;
  const least = { hour: 0, day: 2, week: 8, month: 32 } as const;
  return INTERVALS.filter((each) =>
    days === null ? each === 'month' : days >= least[each] && days <= most[each],
  );
}

/** The interval that is asked of the API: what was chosen where it fits, hours up to two days. */
export function intervalOf({ interval }: StatsQuery, span: Span): Interval | null {
  if (interval !== null && intervalsFor(span).includes(interval)) return interval;
  return span.days !== null && span.days <= 2 ? 'hour' : null;
}

export function presentSpan({ range, from, to, zone }: StatsQuery): Span {
  return spanOf(range, from, to, zone, new Date());
}

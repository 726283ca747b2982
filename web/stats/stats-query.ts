import { ownZone, usableZone } from '../data/zones';
import { RANGES, type Range, spanOf, type Span } from './span';

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

export const CLASSES = ['human', 'preview', 'bot'] as const;

export const AUDIENCES = ['all', ...CLASSES] as const;
export type Audience = (typeof AUDIENCES)[number];

const INTERVALS = ['hour', 'day', 'week', 'month'] as const;
export type Interval = (typeof INTERVALS)[number];

export interface StatsQuery {
  readonly range: Range;
  readonly from: string;
  readonly to: string;
  readonly zone: string;
  readonly audience: Audience;
  readonly compares: boolean;
  /** Null for the range's default. */
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

/** Returns a dimension's name in the address. */
const tabOf = (name: Dimension): string => name.replace('utm_', '');

export function openDimension(
  search: URLSearchParams,
  dimensions: readonly Dimension[],
): Dimension | undefined {
  const open = search.getAll('by');
  return dimensions.find((name) => open.includes(tabOf(name))) ?? dimensions[0];
}

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

export const audienceParameter = (audience: Audience): string | null =>
  audience === DEFAULT_AUDIENCE ? null : audience;

export function isFilteredBy(
  { audience, filters }: StatsQuery,
  name: Dimension,
  value?: string,
): boolean {
  if (name === 'audience') return value === undefined ? audience !== 'all' : audience === value;
  const values = filters[name];
  return values !== undefined && (value === undefined || values.includes(value));
}

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

/** Bucket size for the time series and row limit for other lists. */
export interface Cut {
  readonly interval?: Interval | null;
  readonly limit?: number;
}

/** Returns the API parameters (docs/contract.md#9.1) for a period. */
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
    merge: true,
    group_by: groupBy.join(','),
    ...(audience === 'all' ? {} : { audience }),
    ...(interval === null ? {} : { bucket: interval }),
    ...(limit === undefined ? {} : { limit }),
    ...(Object.keys(filters).length === 0 ? {} : { filters: JSON.stringify(filters) }),
  };
}

/** Returns the bucket sizes with a readable number of columns. */
export function intervalsFor({ days }: Span): readonly Interval[] {
  const most = { hour: 14, day: 366, week: 7000, month: Infinity } as const;
  const least = { hour: 0, day: 2, week: 8, month: 32 } as const;
  return INTERVALS.filter((each) =>
    days === null ? each === 'month' : days >= least[each] && days <= most[each],
  );
}

/** Returns the chosen bucket size if it fits; otherwise hours for up to two days. */
export function intervalOf({ interval }: StatsQuery, span: Span): Interval | null {
  if (interval !== null && intervalsFor(span).includes(interval)) return interval;
  return span.days !== null && span.days <= 2 ? 'hour' : null;
}

export function presentSpan({ range, from, to, zone }: StatsQuery): Span {
  return spanOf(range, from, to, zone, new Date());
}

import { ownZone } from '../format';
import { isZone, RANGES, type Range, spanOf, type Span } from './span';

/** What clicks are broken down by, besides time. */
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
] as const;
export type Dimension = (typeof DIMENSIONS)[number];

const AUDIENCES = ['all', 'human', 'bot'] as const;
export type Audience = (typeof AUDIENCES)[number];

/** What statistics show, as their address says it. */
export interface StatsQuery {
  readonly range: Range;
  readonly from: string;
  readonly to: string;
  readonly zone: string;
  readonly audience: Audience;
  readonly compares: boolean;
  readonly filters: Readonly<Partial<Record<Dimension, readonly string[]>>>;
}

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
    zone: zone !== '' && isZone(zone) ? zone : ownZone,
    audience: AUDIENCES.find((each) => each === search.get('audience')) ?? 'all',
    compares: search.get('compare') === 'yes',
    filters: Object.fromEntries(
      DIMENSIONS.map((name) => [name, search.getAll(FILTER + name)] as const).filter(
        ([, values]) => values.length > 0,
      ),
    ),
  };
}

function dayOf(text: string | null): string {
  if (text === null || !/^\d{4}-\d\d-\d\d$/.test(text)) return '';
  return Number.isNaN(Date.parse(text)) ? '' : text;
}

/** The address with a filter set, or taken away where it is set already. */
export function withFilter(
  search: URLSearchParams,
  name: Dimension,
  value: string,
): URLSearchParams {
  const next = new URLSearchParams(search);
  if (next.has(FILTER + name, value)) next.delete(FILTER + name, value);
  else next.append(FILTER + name, value);
  return next;
}

export function withoutFilters(search: URLSearchParams): URLSearchParams {
  const next = new URLSearchParams(search);
  for (const name of DIMENSIONS) next.delete(FILTER + name);
  return next;
}

/** Parameters of the API (docs/contract.md#9.1) for what is asked, over a stretch of time. */
export function parametersOf(
  { zone, audience, filters }: StatsQuery,
  { start, end }: Span,
  groupBy: readonly string[],
) {
  return {
    ...(start === null ? {} : { start_date: start.toISOString() }),
    ...(end === null ? {} : { end_date: end.toISOString() }),
    timezone: zone,
    group_by: groupBy.join(','),
    ...(audience === 'all' ? {} : { audience }),
    ...(Object.keys(filters).length === 0 ? {} : { filters: JSON.stringify(filters) }),
  };
}

export function presentSpan({ range, from, to, zone }: StatsQuery): Span {
  return spanOf(range, from, to, zone, new Date());
}

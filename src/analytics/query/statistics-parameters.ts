import { BadRequestError } from '../../common/errors';
import {
  type Bucket,
  type BucketStrategy,
  strategyFor,
} from '../../engines/click-engine/calendar/time-buckets';
import {
  type Audience,
  MAX_RESULT_ROWS,
  membersOf,
  type Metric,
  METRICS,
  type StatisticsQuery,
} from '../../engines/click-engine/query/statistics-query';
import { HOUR_MS } from '../../common/time';
import {
  ACCOUNT_FILTERS,
  ACCOUNT_PARAMETERS,
  type ApiDimension,
  LINK_FILTERS,
  PUBLIC_DIMENSIONS,
} from '../engine/dimensions';
import { tagKey } from '../../stores/tags/tag';
import type { AccountStatisticsDto, LinkStatisticsDto, PeriodDto } from './statistics.dto';
import { commaList, type FilterValues, readFilters } from './filter-values';
import type { Period, PeriodInput } from './period';

export interface StatisticsParameters {
  groupBy: ApiDimension[];
  metrics: Metric[];
  filters: FilterValues;
  audience?: Audience;
  /** Default: `auto`, which depends on the range. */
  bucket?: Bucket;
  /** Maximum number of rows per list, except in the time list. */
  limit?: number;
  /** Specifies whether similar values are merged. */
  merge?: boolean;
}

export function accountParameters(
  scope: 'all' | 'anon',
  dto: AccountStatisticsDto,
): StatisticsParameters {
  const { short_code: code = '' } = dto;
  // A single code selects the link, and a list of codes is a filter.
  const codes = code.includes(',') && scope === 'all' ? code : undefined;
  const given = Object.assign({}, dto, { short_code: codes });
  const parameters = [...ACCOUNT_PARAMETERS, 'short_code'] as const;
  return { ...lists(dto), filters: readFilters(given, ACCOUNT_FILTERS, parameters) };
}

export function linkParameters(dto: LinkStatisticsDto): StatisticsParameters {
  return { ...lists(dto), filters: readFilters(dto, LINK_FILTERS, LINK_FILTERS) };
}

export function publicParameters({ audience, bucket }: PeriodDto): StatisticsParameters {
  return { groupBy: [...PUBLIC_DIMENSIONS], metrics: [...METRICS], filters: {}, audience, bucket };
}

/** Omits the short-code filter, which selects links instead of clicks. Compares tags by key. */
export function toQuery(parameters: StatisticsParameters, period: Period): StatisticsQuery {
  const { groupBy, filters: given, audience, merge = false } = parameters;
  const { start, end, timezone } = period;
  const filters = merge ? mergedFilters(given) : given;
  return {
    start,
    end,
    dimensions: groupBy,
    merged: merge,
    filters: { ...filters, ...(filters.tag && { tag: filters.tag.map(tagKey) }) },
    audience,
    buckets: groupBy.includes('time')
      ? { strategy: decideStrategy(parameters, period), timezone }
      : null,
  };
}

function mergedFilters({ referrer, browser, ...others }: FilterValues): FilterValues {
  return {
    ...others,
    ...(referrer && { referrer: referrer.flatMap((value) => membersOf('referrer', value)) }),
    ...(browser && { browser: browser.flatMap((value) => membersOf('browser', value)) }),
  };
}

const LENGTHS = {
  hour: { strategy: 'hourly', ms: HOUR_MS },
  day: { strategy: 'daily', ms: 24 * HOUR_MS },
  week: { strategy: 'weekly', ms: 7 * 24 * HOUR_MS },
  month: { strategy: 'monthly', ms: 30 * 24 * HOUR_MS },
} as const satisfies Record<string, { strategy: BucketStrategy; ms: number }>;

/** Chooses the time bucket size. Throws 400 if the time list would exceed the limit. */
export function decideStrategy(
  { bucket = 'auto' }: Pick<StatisticsParameters, 'bucket'>,
  { start, end }: Pick<Period, 'start' | 'end'>,
): BucketStrategy {
  if (bucket === 'auto') return strategyFor(start, end);
  const { strategy, ms } = LENGTHS[bucket];
  if (end - start <= MAX_RESULT_ROWS * ms) return strategy;
  const text = `bucket=${bucket} is for ranges of at most ${MAX_RESULT_ROWS} ${bucket}s: use a longer bucket, or a later start_date`;
  throw new BadRequestError(text, 'bucket');
}

/** Requests with equal keys can share a result. @param kind because default starts differ */
export function toRequestKey(
  kind: 'account' | 'link',
  { start_date, end_date, timezone }: PeriodInput,
  { filters, audience = 'all', bucket = 'auto', merge = false }: StatisticsParameters,
): string {
  return JSON.stringify([
    kind,
    start_date ?? null,
    end_date ?? null,
    timezone ?? null,
    audience,
    bucket,
    merge,
    Object.entries(filters).sort(([a], [b]) => (a < b ? -1 : 1)),
  ]);
}

function lists(dto: {
  group_by?: string;
  metrics?: string;
  audience?: Audience;
  bucket?: Bucket;
  limit?: number;
  merge?: boolean;
}) {
  const groupBy = commaList(dto.group_by) as ApiDimension[];
  const metrics = commaList(dto.metrics) as Metric[];
  return {
    groupBy: groupBy.length > 0 ? groupBy : ['time' as const],
    metrics: metrics.length > 0 ? metrics : [...METRICS],
    audience: dto.audience,
    bucket: dto.bucket,
    limit: dto.limit,
    merge: dto.merge,
  };
}

import { strategyFor } from '../calendar/time-buckets';
import {
  type Audience,
  type Metric,
  METRICS,
  type StatisticsQuery,
} from '../engine/statistics-query';
import {
  ACCOUNT_FILTERS,
  ACCOUNT_PARAMETERS,
  type ApiDimension,
  LINK_FILTERS,
  PUBLIC_DIMENSIONS,
} from '../dimensions';
import type { AccountStatisticsDto } from './statistics.dto';
import { commaList, type FilterValues, readFilters } from './filter-values';
import type { LinkStatisticsDto, PeriodDto } from './statistics.dto';
import type { Period, PeriodInput } from './period';

/** The parameters of a statistics request as values: nothing in them needs checking again. */
export interface StatisticsParameters {
  groupBy: ApiDimension[];
  metrics: Metric[];
  filters: FilterValues;
  /** All without one. */
  audience?: Audience;
}

export function accountParameters(
  scope: 'all' | 'anon',
  dto: AccountStatisticsDto,
): StatisticsParameters {
  const { short_code: code = '' } = dto;
  // One code names the link that is asked about; a list filters, as in `filters`.
  const codes = code.includes(',') && scope === 'all' ? code : undefined;
  const given = Object.assign({}, dto, { short_code: codes });
  const parameters = [...ACCOUNT_PARAMETERS, 'short_code'] as const;
  return { ...lists(dto), filters: readFilters(given, ACCOUNT_FILTERS, parameters) };
}

export function linkParameters(dto: LinkStatisticsDto): StatisticsParameters {
  return { ...lists(dto), filters: readFilters(dto, LINK_FILTERS, LINK_FILTERS) };
}

export function publicParameters({ audience }: PeriodDto): StatisticsParameters {
  return { groupBy: [...PUBLIC_DIMENSIONS], metrics: [...METRICS], filters: {}, audience };
}

/** The query for the engine. A filter by short codes is none of clicks: it chooses links. */
export function toQuery(
  { groupBy, filters, audience }: StatisticsParameters,
  period: Period,
): StatisticsQuery {
  const { start, end, timezone } = period;
  return {
    start,
    end,
    dimensions: groupBy,
    filters,
    audience,
    buckets: groupBy.includes('time') ? { strategy: strategyFor(start, end), timezone } : null,
  };
}

/**
 * The parameters as they were given: of two requests with one key only "now" differs.
 *
 * @param kind tells apart what endpoints put in place of an absent start
 */
export function requestKeyOf(
  kind: 'account' | 'link',
  { start_date, end_date, timezone }: PeriodInput,
  { filters, audience = 'all' }: StatisticsParameters,
): string {
  return JSON.stringify([
    kind,
    start_date ?? null,
    end_date ?? null,
    timezone ?? null,
    audience,
    Object.entries(filters).sort(([a], [b]) => (a < b ? -1 : 1)),
  ]);
}

function lists(dto: { group_by?: string; metrics?: string; audience?: Audience }) {
  const groupBy = commaList(dto.group_by) as ApiDimension[];
  const metrics = commaList(dto.metrics) as Metric[];
  return {
    groupBy: groupBy.length > 0 ? groupBy : ['time' as const],
    metrics: metrics.length > 0 ? metrics : [...METRICS],
    audience: dto.audience,
  };
}

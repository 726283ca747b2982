import { strategyFor } from '../calendar/time-buckets';
import type { StatisticsQuestion } from '../engine/statistics-result';
import {
  ACCOUNT_FILTERS,
  ACCOUNT_PARAMETERS,
  type ApiDimension,
  LINK_FILTERS,
  PUBLIC_DIMENSIONS,
} from '../dimensions';
import type { AccountStatisticsDto } from './statistics.dto';
import { commaList, type FilterValues, type Metric, METRICS, readFilters } from './filter-values';
import type { LinkStatisticsDto } from './statistics.dto';
import type { Period, PeriodInput } from './period';

/** What a statistics endpoint was asked, as values: nothing in it needs checking again. */
export interface StatisticsQuery {
  groupBy: ApiDimension[];
  metrics: Metric[];
  filters: FilterValues;
}

export function accountQuery(dto: AccountStatisticsDto): StatisticsQuery {
  return { ...lists(dto), filters: readFilters(dto, ACCOUNT_FILTERS, ACCOUNT_PARAMETERS) };
}

export function linkQuery(dto: LinkStatisticsDto): StatisticsQuery {
  return { ...lists(dto), filters: readFilters(dto, LINK_FILTERS, LINK_FILTERS) };
}

export function publicQuery(): StatisticsQuery {
  return { groupBy: [...PUBLIC_DIMENSIONS], metrics: [...METRICS], filters: {} };
}

/** The question for the engine. A filter by short codes is none of clicks: it chooses links. */
export function toQuestion(
  { groupBy, filters }: StatisticsQuery,
  period: Period,
): StatisticsQuestion {
  const { start, end, timezone } = period;
  return {
    start,
    end,
    dimensions: groupBy,
    filters,
    buckets: groupBy.includes('time') ? { strategy: strategyFor(start, end), timezone } : null,
  };
}

/**
 * A question in the words of who asked it: two in the same words differ at most in what "now" is.
 *
 * @param kind tells apart what endpoints put in place of an absent start
 */
export function wordsOf(
  kind: 'account' | 'link',
  { start_date, end_date, timezone }: PeriodInput,
  { filters }: StatisticsQuery,
): string {
  return JSON.stringify([
    kind,
    start_date ?? null,
    end_date ?? null,
    timezone ?? null,
    Object.entries(filters).sort(([a], [b]) => (a < b ? -1 : 1)),
  ]);
}

function lists(dto: { group_by?: string; metrics?: string }) {
  const groupBy = commaList(dto.group_by) as ApiDimension[];
  const metrics = commaList(dto.metrics) as Metric[];
  return {
    groupBy: groupBy.length > 0 ? groupBy : ['time' as const],
    metrics: metrics.length > 0 ? metrics : [...METRICS],
  };
}

import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { type BucketStrategy, strategyFor } from '../calendar/time-buckets';
import { zonedIso } from '../calendar/zone-clock';
import type { ResultRow } from '../engine/statistics-engine';
import type { Breakdown, StatisticsResult, Summary } from '../engine/statistics-result';
import type { ApiDimension } from '../dimensions';
import type { FilterValues, Metric } from '../query/filter-values';
import type { StatisticsScope } from '../scope/statistics-scope';

/** Rounds to two decimals, as all shares and averages are answered. */
export function twoDecimals(value: number): number {
  return Math.round(value * 100) / 100;
}

/** A part of a whole in percent, two decimals; 0 of nothing is 0. */
export function percentage(part: number, whole: number): number {
  return whole === 0 ? 0 : Math.round((part * 10_000) / whole) / 100;
}

export interface SummaryResponse {
  total_clicks: number;
  unique_clicks: number;
  first_click: string | null;
  last_click: string | null;
  avg_redirection_time: number | null;
}

export interface ComputedMetricsResponse {
  unique_click_rate: number;
  repeat_click_rate: number;
  average_clicks_per_visitor: number;
}

/** A point of a list: `{<dimension>: text, <metric>: count, <metric>_percentage: number}`. */
export type Point = Record<string, string | number>;

/** Answer of GET /api/v1/stats and /stats/links/{url_id} (docs/contract.md#9.3). */
export class StatisticsResponse {
  @ApiProperty({ enum: ['all', 'anon'] }) scope!: 'all' | 'anon';
  @ApiProperty({ type: Object, description: 'Dimension to array of strings' })
  filters!: FilterValues;
  @ApiProperty() group_by!: string[];
  @ApiProperty() timezone!: string;
  @ApiProperty({ type: Object, description: '{start_date, end_date} in the zone' })
  time_range!: { start_date: string; end_date: string };
  @ApiProperty({ type: Object }) summary!: SummaryResponse;
  @ApiProperty({
    type: Object,
    description: '{metric}_by_{dimension}: points {<dimension>, <metric>, <metric>_percentage}',
  })
  metrics!: Record<string, Point[]>;
  @ApiProperty({ format: 'date-time' }) generated_at!: string;
  @ApiProperty({ enum: ['v1'] }) api_version!: 'v1';
  @ApiPropertyOptional() short_code?: string;
  @ApiPropertyOptional({ type: Object }) time_bucket_info?: TimeBucketInfoResponse;
  @ApiProperty({ type: Object, nullable: true }) computed_metrics!: ComputedMetricsResponse | null;
  @ApiPropertyOptional() url_id?: string;
  @ApiPropertyOptional() alias?: string;
}

/** Everything of a report but its lists: what comes before them and what comes after. */
export interface StatisticsResponseFrame {
  before: Omit<StatisticsResponse, keyof StatisticsResponseFrame['after'] | 'metrics'>;
  after: Pick<
    StatisticsResponse,
    | 'generated_at'
    | 'api_version'
    | 'short_code'
    | 'time_bucket_info'
    | 'computed_metrics'
    | 'url_id'
    | 'alias'
  >;
}

/** Sums of a breakdown over all its values. */
export interface Sums {
  clicksSum: number;
  visitorsSum: number;
}

export function listKey(metric: Metric, dimension: ApiDimension): string {
  return `${metric}_by_${dimension}`;
}

/** The point of a list; its share is of all values, also of those that were cut. */
export function pointOf(
  row: ResultRow,
  metric: Metric,
  dimension: ApiDimension,
  { clicksSum, visitorsSum }: Sums,
): Point {
  const [value, sum] = metric === 'clicks' ? [row.clicks, clicksSum] : [row.visitors, visitorsSum];
  return {
    [dimension]: row.label,
    [metric]: value,
    [`${metric}_percentage`]: percentage(value, sum),
  };
}

export interface TimeBucketInfoResponse {
  strategy: BucketStrategy;
  mongo_format: string;
  display_format: string;
  timezone: string;
  interval_minutes: number;
}

const FORMATS: Record<BucketStrategy, { format: string; minutes: number }> = {
  daily: { format: '%Y-%m-%d', minutes: 1440 },
  weekly: { format: '%Y-%m-%d', minutes: 10_080 },
  monthly: { format: '%Y-%m', minutes: 43_200 },
};

/** How the time list is cut, in the words of docs/contract.md#9.3. */
export function timeBucketInfo(strategy: BucketStrategy, timezone: string): TimeBucketInfoResponse {
  const { format, minutes } = FORMATS[strategy];
  return {
    strategy,
    mongo_format: format,
    display_format: format,
    timezone,
    interval_minutes: minutes,
  };
}

/** Everything of a report that is not a list. */
export function statisticsResponseFrame(
  scope: StatisticsScope,
  summary: Summary,
  now = Date.now(),
): StatisticsResponseFrame {
  const { parameters, period, shortCode, link } = scope;
  const { start, end, timezone } = period;
  return {
    before: {
      scope: scope.name,
      filters: parameters.filters,
      group_by: parameters.groupBy,
      timezone,
      time_range: { start_date: zonedIso(start, timezone), end_date: zonedIso(end, timezone) },
      summary: summaryAnswer(summary),
    },
    after: {
      generated_at: new Date(now).toISOString(),
      api_version: 'v1',
      ...(shortCode === null ? {} : { short_code: shortCode }),
      ...(parameters.groupBy.includes('time')
        ? { time_bucket_info: timeBucketInfo(strategyFor(start, end), timezone) }
        : {}),
      computed_metrics: computedMetrics(summary),
      ...(link === null ? {} : { url_id: link.id, alias: link.alias }),
    },
  };
}

function summaryAnswer({ clicks, visitors, first, last, redirectMs }: Summary): SummaryResponse {
  return {
    total_clicks: clicks,
    unique_clicks: visitors,
    first_click: first === null ? null : new Date(first).toISOString(),
    last_click: last === null ? null : new Date(last.at).toISOString(),
    avg_redirection_time: clicks === 0 ? null : twoDecimals(redirectMs / clicks),
  };
}

function computedMetrics({ clicks, visitors }: Summary): ComputedMetricsResponse | null {
  if (clicks === 0) return null;
  const rate = percentage(visitors, clicks);
  return {
    unique_click_rate: rate,
    repeat_click_rate: twoDecimals(100 - rate),
    average_clicks_per_visitor: twoDecimals(clicks / visitors),
  };
}

/** The whole answer of a statistics endpoint. */
export function toStatisticsResponse(
  scope: StatisticsScope,
  result: StatisticsResult,
): StatisticsResponse {
  const { before, after } = statisticsResponseFrame(scope, result.summary);
  const metrics: Record<string, Point[]> = {};
  for (const dimension of scope.parameters.groupBy) {
    const breakdown = result.breakdowns[dimension];
    if (breakdown === undefined) throw new RangeError(`No result by ${dimension}`);
    const rows = rowsOf(breakdown);
    for (const metric of scope.parameters.metrics) {
      metrics[listKey(metric, dimension)] = rows.map((row) =>
        pointOf(row, metric, dimension, breakdown),
      );
    }
  }
  return { ...before, metrics, ...after };
}

function rowsOf({ labels, clicks, visitors }: Breakdown) {
  return labels.map((label, i) => ({
    label,
    clicks: clicks[i] ?? 0,
    visitors: visitors[i] ?? 0,
  }));
}

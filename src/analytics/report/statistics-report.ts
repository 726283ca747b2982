import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import type { FilterValues } from '../query/filter-values';
import type { TimeBucketInfoResponse } from './time-bucket-info';

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

/** Answer of GET /api/v1/stats and /stats/links/{url_id} (contract 9.3). */
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

import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { AUDIENCE_CLASSES } from '../../engines/click-engine/chunk/click';
import { type BucketStrategy, zonedIso } from '../../engines/click-engine/calendar/time-buckets';
import { destinationNames } from '../../destinations/destinations';
import type { Link } from '../../stores/links/link';
import type { JsonParts } from '../../common/http/http-result';
import {
  type Audience,
  type Metric,
  METRICS,
  type StatisticsReport,
  type Summary,
} from '../../engines/click-engine/query/statistics-query';
import {
  COUNT,
  DOMAIN,
  ID_PROPERTY,
  ISO_PROPERTY,
  SHORT_CODE,
} from '../../common/openapi/properties';
import {
  ACCOUNT_DIMENSIONS,
  ACCOUNT_FILTERS,
  type ApiDimension,
  LINK_DIMENSIONS,
} from '../engine/dimensions';
import type { FilterValues } from '../query/filter-values';
import { decideStrategy } from '../query/statistics-parameters';
import type { StatisticsScope } from '../scope/statistics-scope';
import { ImportedResponse } from './imported.response';
import { listKey, MAX_TITLES, percentage, type Point, pointKeys } from './report-lists';

export function twoDecimals(value: number): number {
  return Math.round(value * 100) / 100;
}

export class SummaryResponse {
  @ApiProperty(COUNT) total_clicks!: number;
  @ApiProperty({ ...COUNT, description: 'Distinct visitors' }) unique_clicks!: number;
  @ApiProperty({ ...ISO_PROPERTY, nullable: true }) first_click!: string | null;
  @ApiProperty({ ...ISO_PROPERTY, nullable: true }) last_click!: string | null;

  @ApiProperty({
    type: Number,
    nullable: true,
    description: 'Milliseconds, without imported clicks; null without clicks',
  })
  avg_redirection_time!: number | null;

  @ApiPropertyOptional({
    ...COUNT,
    description: 'Imported clicks without a known visitor; absent if there are none',
  })
  clicks_without_visitor?: number;
}

export class ComputedMetricsResponse {
  @ApiProperty({ description: 'Visitors per 100 clicks' }) unique_click_rate!: number;
  @ApiProperty({ description: '100 minus unique_click_rate' }) repeat_click_rate!: number;
  @ApiProperty() average_clicks_per_visitor!: number;
}

export class TimeRangeResponse {
  @ApiProperty({ ...ISO_PROPERTY, description: "RFC 3339, with the time zone's offset" })
  start_date!: string;

  @ApiProperty({ ...ISO_PROPERTY, description: "RFC 3339, with the time zone's offset" })
  end_date!: string;
}

const LABEL_FORMATS = ['%Y-%m-%dT%H:%M%z', '%Y-%m-%d', '%Y-%m'];

export class TimeBucketInfoResponse {
  @ApiProperty({ enum: ['hourly', 'daily', 'weekly', 'monthly'] }) strategy!: BucketStrategy;
  @ApiProperty({ enum: LABEL_FORMATS }) mongo_format!: string;
  @ApiProperty({ enum: LABEL_FORMATS }) display_format!: string;
  @ApiProperty({ example: 'Europe/Berlin' }) timezone!: string;
  @ApiProperty({ type: 'integer', enum: [60, 1440, 10_080, 43_200] }) interval_minutes!: number;
}

const API_DIMENSIONS: readonly ApiDimension[] = [
  ...new Set<ApiDimension>([...LINK_DIMENSIONS, ...ACCOUNT_DIMENSIONS]),
];

const LIST_SCHEMAS = Object.fromEntries(
  API_DIMENSIONS.flatMap((dimension) =>
    METRICS.map((metric) => [listKey(metric, dimension), listSchema(metric, dimension)]),
  ),
);

function listSchema(metric: Metric, dimension: ApiDimension) {
  const [label, value, share] = pointKeys(metric, dimension);
  const properties = {
    [label]: { type: 'string' },
    [value]: { type: 'integer', minimum: 0 },
    [share]: { type: 'number' },
  };
  const items = { type: 'object', required: Object.keys(properties), properties };
  return { type: 'array' as const, items };
}

const FILTERS = Object.fromEntries(
  [...new Set([...API_DIMENSIONS, ...ACCOUNT_FILTERS])]
    .filter((name) => name !== 'time')
    .map((name) => [name, { type: 'array' as const, items: { type: 'string' } }]),
);

const NOTE_ON_TAGS =
  'A click counts once for each tag of its link and a visitor once for each tag, so the lists by tag may sum to more than the summary; their percentages are of the summary.';

export class StatisticsResponse {
  @ApiProperty({ enum: ['all', 'anon'] }) scope!: 'all' | 'anon';

  @ApiProperty({
    type: 'object',
    properties: FILTERS,
    additionalProperties: false,
    description: 'Values by dimension, only for filtered dimensions',
  })
  filters!: FilterValues;

  @ApiProperty({ type: [String], enum: API_DIMENSIONS, isArray: true }) group_by!: string[];
  @ApiProperty({ description: 'IANA name', example: 'Europe/Berlin' }) timezone!: string;
  @ApiProperty() time_range!: TimeRangeResponse;
  @ApiProperty() summary!: SummaryResponse;

  @ApiProperty({
    type: 'object',
    properties: LIST_SCHEMAS,
    additionalProperties: false,
    description:
      'A list for each dimension of `group_by` and each metric, with at most 1000 rows or `limit` rows. The list over time ascends, other lists descend by clicks. Percentages are relative to all clicks, including omitted rows; in lists by tag, they are relative to the summary',
  })
  metrics!: Record<string, Point[]>;

  @ApiProperty(ISO_PROPERTY) generated_at!: string;
  @ApiProperty({ enum: ['v1'] }) api_version!: 'v1';

  @ApiPropertyOptional({ ...SHORT_CODE, description: 'The link requested in `short_code`' })
  short_code?: string;

  @ApiPropertyOptional({ description: 'Only with `time` in `group_by`' })
  time_bucket_info?: TimeBucketInfoResponse;

  @ApiProperty({
    type: ComputedMetricsResponse,
    nullable: true,
    description: 'null without clicks',
  })
  computed_metrics!: ComputedMetricsResponse | null;

  @ApiPropertyOptional({ ...ID_PROPERTY, description: 'Only for a single link' }) url_id?: string;
  @ApiPropertyOptional({ ...SHORT_CODE, description: 'Only for a single link' }) alias?: string;
  @ApiPropertyOptional({ ...DOMAIN, description: 'Only for a single link' }) domain?: string | null;

  @ApiPropertyOptional({
    type: 'object',
    additionalProperties: { type: 'string' },
    description:
      'Destinations by key, including removed rules and variants; only for a single link that has or had any',
    example: { r1: 'https://example.com/de', 2: 'https://example.com/b' },
  })
  variants?: Record<string, string>;

  @ApiPropertyOptional({
    type: 'object',
    additionalProperties: { type: 'string' },
    description: `Titles of the first ${MAX_TITLES} links in the list by \`short_code\`; links without a title are omitted`,
    example: { 'spring-sale': 'Spring sale, newsletter' },
  })
  titles?: Record<string, string>;

  @ApiPropertyOptional({
    enum: AUDIENCE_CLASSES,
    description: 'The audience; absent if it is `all`',
  })
  audience?: Audience;

  @ApiPropertyOptional({
    type: ImportedResponse,
    description: 'Imported counts, not part of any other figure',
  })
  imported?: ImportedResponse;

  @ApiPropertyOptional({
    type: [String],
    description: 'How to read the lists, as sentences; only with `tag` in `group_by`',
    example: [NOTE_ON_TAGS],
  })
  notes?: string[];
}

export interface StatisticsResponseFrame {
  before: Pick<
    StatisticsResponse,
    'scope' | 'filters' | 'group_by' | 'timezone' | 'time_range' | 'summary'
  >;
  after: Omit<StatisticsResponse, keyof StatisticsResponseFrame['before'] | 'metrics'>;
}

const FORMATS: Record<BucketStrategy, { format: string; minutes: number }> = {
  hourly: { format: '%Y-%m-%dT%H:%M%z', minutes: 60 },
  daily: { format: '%Y-%m-%d', minutes: 1440 },
  weekly: { format: '%Y-%m-%d', minutes: 10_080 },
  monthly: { format: '%Y-%m', minutes: 43_200 },
};

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

export function statisticsResponseFrame(
  scope: StatisticsScope,
  summary: Summary,
  imported?: ImportedResponse,
  now = Date.now(),
): StatisticsResponseFrame {
  const { parameters, period, shortCode, link } = scope;
  const { start, end, timezone } = period;
  const { audience = 'all' } = parameters;
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
        ? { time_bucket_info: timeBucketInfo(decideStrategy(parameters, period), timezone) }
        : {}),
      computed_metrics: computedMetrics(summary),
      ...(link === null
        ? {}
        : { url_id: link.id, alias: link.alias, domain: link.domain, ...variantNames(link) }),
      ...(audience === 'all' ? {} : { audience }),
      ...(imported === undefined ? {} : { imported }),
      ...(parameters.groupBy.includes('tag') ? { notes: [NOTE_ON_TAGS] } : {}),
    },
  };
}

function variantNames({ destinations }: Link): Pick<StatisticsResponse, 'variants'> {
  const variants = destinationNames(destinations);
  return Object.keys(variants).length === 0 ? {} : { variants };
}

/** Returns milliseconds with two decimals; null if no click has a measured time. */
export function averageRedirect({ clicks, untimed, redirectMs }: Summary): number | null {
  return clicks === untimed ? null : twoDecimals(redirectMs / (clicks - untimed));
}

function summaryAnswer(summary: Summary): SummaryResponse {
  const { clicks, visitors, withoutVisitor, first, last } = summary;
  return {
    total_clicks: clicks,
    unique_clicks: visitors,
    first_click: first === null ? null : new Date(first).toISOString(),
    last_click: last === null ? null : new Date(last.at).toISOString(),
    avg_redirection_time: averageRedirect(summary),
    ...(withoutVisitor > 0 && { clicks_without_visitor: withoutVisitor }),
  };
}

function computedMetrics(summary: Summary): ComputedMetricsResponse | null {
  const { visitors, withoutVisitor } = summary;
  const clicks = summary.clicks - withoutVisitor;
  if (clicks === 0) return null;
  const rate = percentage(visitors, clicks);
  return {
    unique_click_rate: rate,
    repeat_click_rate: twoDecimals(100 - rate),
    average_clicks_per_visitor: twoDecimals(clicks / visitors),
  };
}

/** Returns a response's JSON in parts. The lists are already serialized. */
export function statisticsJson(
  scope: StatisticsScope,
  { summary, lists }: StatisticsReport,
  { imported, titles }: Pick<StatisticsResponse, 'imported' | 'titles'>,
): JsonParts {
  const { before, after } = statisticsResponseFrame(scope, summary, imported);
  if (titles !== undefined && Object.keys(titles).length > 0) after.titles = titles;
  const [head, tail] = [JSON.stringify(before), JSON.stringify(after)];
  return [`${head.slice(0, -1)},"metrics":`, lists, `,${tail.slice(1)}`];
}

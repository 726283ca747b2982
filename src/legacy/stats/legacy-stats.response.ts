import { ApiProperty } from '@nestjs/swagger';
import type { LinkStatistics } from '../../analytics/link-statistics.service';
import type { ResultList } from '../../analytics/engine/statistics-engine';
import { averageRedirect, twoDecimals } from '../../analytics/report/statistics.response';
import { COUNT, SHORT_CODE } from '../../common/openapi/properties';
import { DAY_MS } from '../../common/time';
import type { Dimension, Summary } from '../../engines/click-engine/query/statistics-query';
import { isExpired, type Link, reportedStatus } from '../../stores/links/link';

export const LEGACY_LISTS = {
  counter: { dimension: 'time', metric: 'clicks' },
  unique_counter: { dimension: 'time', metric: 'visitors' },
  browser: { dimension: 'browser', metric: 'clicks' },
  os_name: { dimension: 'os', metric: 'clicks' },
  country: { dimension: 'country', metric: 'clicks' },
  referrer: { dimension: 'referrer', metric: 'clicks' },
  bots: { dimension: 'bot', metric: 'clicks' },
  unique_browser: { dimension: 'browser', metric: 'visitors' },
  unique_os_name: { dimension: 'os', metric: 'visitors' },
  unique_country: { dimension: 'country', metric: 'visitors' },
  unique_referrer: { dimension: 'referrer', metric: 'visitors' },
} as const satisfies Record<string, { dimension: Dimension; metric: 'clicks' | 'visitors' }>;

export type LegacyListKey = keyof typeof LEGACY_LISTS;
export const LEGACY_LIST_KEYS = Object.keys(LEGACY_LISTS) as LegacyListKey[];

export type LegacyDimension = (typeof LEGACY_LISTS)[LegacyListKey]['dimension'];
export const LEGACY_DIMENSIONS: readonly LegacyDimension[] = [
  ...new Set(Object.values(LEGACY_LISTS).map(({ dimension }) => dimension)),
];

const LEGACY_TIME = {
  type: String,
  nullable: true,
  description: 'YYYY-MM-DD HH:MM:SS, UTC',
  example: '2026-09-21 14:13:20',
} as const;
const LABEL_SCHEMA = { type: String, nullable: true } as const;

/** Does not declare the lists, which the decorator describes. */
@DescribesLists()
export class LegacyStatistics {
  @ApiProperty(SHORT_CODE) _id!: string;
  @ApiProperty(SHORT_CODE) short_code!: string;
  @ApiProperty({
    description: 'Empty unless the link is active',
    example: 'https://example.com/spring/sale',
  })
  url!: string;
  @ApiProperty(COUNT) 'total-clicks'!: number;
  @ApiProperty(COUNT) total_unique_clicks!: number;
  @ApiProperty({ ...LABEL_SCHEMA, pattern: '^[0-9]+$' }) 'max-clicks'!: string | null;
  @ApiProperty(LEGACY_TIME) 'expiration-time'!: string | null;
  @ApiProperty({ ...LABEL_SCHEMA, enum: ['********'] }) password!: string | null;
  @ApiProperty() 'block-bots'!: boolean;

  @ApiProperty({
    type: Boolean,
    nullable: true,
    description:
      'Whether the link has expired or reached its click limit; null if it has neither an expiry nor a limit',
  })
  expired!: boolean | null;

  @ApiProperty({ pattern: '^\\d{4,}-\\d\\d-\\d\\d$', example: '2026-09-21' })
  'creation-date'!: string;
  @ApiProperty({ pattern: '^\\d\\d:\\d\\d:\\d\\d$', example: '14:13:20' })
  'creation-time'!: string;
  @ApiProperty(LEGACY_TIME) 'last-click'!: string | null;
  @ApiProperty(LABEL_SCHEMA) 'last-click-browser'!: string | null;
  @ApiProperty(LABEL_SCHEMA) 'last-click-os'!: string | null;
  @ApiProperty(LABEL_SCHEMA) 'last-click-country'!: string | null;
  @ApiProperty() average_daily_clicks!: number;
  @ApiProperty() average_weekly_clicks!: number;
  @ApiProperty() average_monthly_clicks!: number;
  @ApiProperty({ description: 'Milliseconds' }) average_redirection_time!: number;
}

function DescribesLists(): ClassDecorator {
  return ({ prototype }) => {
    for (const key of LEGACY_LIST_KEYS) {
      const { dimension, metric } = LEGACY_LISTS[key];
      ApiProperty({
        type: 'object',
        additionalProperties: { type: 'integer', minimum: 0 },
        description: `${metric} by ${dimension === 'time' ? 'day' : dimension}`,
      })(prototype as object, key);
    }
  };
}

/** A plain object type instead of the class, because callers spread it. */
export type LegacyFacts = Pick<LegacyStatistics, keyof LegacyStatistics>;
export type LegacyStatsResponse = LegacyFacts & Record<LegacyListKey, Record<string, number>>;

const OTHER = '(other)';

export function toLegacyStatsResponse(
  link: Link,
  { summary, lists }: LinkStatistics<LegacyDimension>,
  now: number,
): LegacyStatsResponse {
  const counted = LEGACY_LIST_KEYS.map((key) => {
    const { dimension, metric } = LEGACY_LISTS[key];
    const isEmpty = dimension === 'time' && summary.clicks === 0;
    return [key, isEmpty ? {} : counts(lists[dimension], metric)];
  });
  return {
    ...presentLegacyFacts(link, summary, now),
    ...(Object.fromEntries(counted) as Record<LegacyListKey, Record<string, number>>),
  };
}

/** @param now milliseconds since 1970-01-01 UTC */
export function presentLegacyFacts(link: Link, summary: Summary, now: number): LegacyFacts {
  const { clicks, visitors, last } = summary;
  return {
    _id: link.alias,
    short_code: link.alias,
    url: destination(link, now),
    'total-clicks': clicks,
    total_unique_clicks: visitors,
    'max-clicks': link.maxClicks === null ? null : String(link.maxClicks),
    'expiration-time': link.expireAfter && moment(link.expireAfter),
    password: link.passwordHash === null ? null : '********',
    'block-bots': link.blockBots,
    expired: isReached(link, now),
    'creation-date': moment(link.createdAt).slice(0, 10),
    'creation-time': moment(link.createdAt).slice(11),
    'last-click': last && moment(new Date(last.at)),
    'last-click-browser': last && last.browser,
    'last-click-os': last && last.os,
    'last-click-country': last && last.country,
    average_daily_clicks: twoDecimals(clicks / (ageInDays(link, now) + 1)),
    average_weekly_clicks: twoDecimals(clicks / 7),
    average_monthly_clicks: twoDecimals(clicks / 30),
    average_redirection_time: averageRedirect(summary) ?? 0,
  };
}

/**
 * Counts by label, including the label `__proto__`. A visitor in several omitted rows counts more
 * than once.
 */
function counts({ rows, cut }: ResultList, metric: 'clicks' | 'visitors') {
  const sums = new Map(rows.map((row) => [row.label, row[metric]]));
  if (cut.values > 0) sums.set(OTHER, (sums.get(OTHER) ?? 0) + cut[metric]);
  return Object.fromEntries(sums);
}

/** Hides closed links' destinations (docs/contract.md#9.4). */
function destination(link: Link, now: number): string {
  return reportedStatus(link, now) === 'ACTIVE' ? link.longUrl : '';
}

/** Returns null for a link without click limit and expiry. */
function isReached(link: Link, now: number): boolean | null {
  if (link.maxClicks === null && link.expireAfter === null) return null;
  return isExpired(link, now) || (link.maxClicks !== null && link.usedClicks >= link.maxClicks);
}

/** Calendar days since the creation day. */
function ageInDays({ createdAt }: Link, now: number): number {
  return Math.floor(now / DAY_MS) - Math.floor(createdAt.getTime() / DAY_MS);
}

function moment(date: Date): string {
  return date.toISOString().slice(0, 19).replace('T', ' ');
}

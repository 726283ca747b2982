import type {
  AllTimeList,
  AllTimeStatistics,
  AllTimeTotals,
} from '../../analytics/all-time-statistics.service';
import type { AllTimeDimension } from '../../analytics/engine/dimensions';
import { DAY_MS } from '../../common/time';
import { isExpired, type Link, reportedStatus } from '../../stores/links/link';

export type Counts = Record<string, number>;

export interface LegacyFacts {
  _id: string;
  short_code: string;
  /** Empty unless the link is active (docs/contract.md#9.4). */
  url: string;
  'total-clicks': number;
  total_unique_clicks: number;
  /** Digits. */
  'max-clicks': string | null;
  /** UTC, `YYYY-MM-DD HH:MM:SS`; applies to all times. */
  'expiration-time': string | null;
  password: '********' | null;
  'block-bots': boolean;
  /** Null without limit and expiry. */
  expired: boolean | null;
  'creation-date': string;
  'creation-time': string;
  'last-click': string | null;
  'last-click-browser': string | null;
  'last-click-os': string | null;
  'last-click-country': string | null;
  average_daily_clicks: number;
  average_weekly_clicks: number;
  average_monthly_clicks: number;
  /** Milliseconds. */
  average_redirection_time: number;
}

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
} as const satisfies Record<string, { dimension: AllTimeDimension; metric: 'clicks' | 'visitors' }>;

export type LegacyListKey = keyof typeof LEGACY_LISTS;
export const LEGACY_LIST_KEYS = Object.keys(LEGACY_LISTS) as LegacyListKey[];

export type LegacyStatsResponse = LegacyFacts & Record<LegacyListKey, Counts>;

const OTHER = '(other)';

export function toLegacyStatsResponse(
  link: Link,
  lifetime: AllTimeStatistics,
  now: number,
): LegacyStatsResponse {
  const lists = LEGACY_LIST_KEYS.map((key) => [key, listCounts(lifetime, key)]);
  return {
    ...presentLegacyFacts(link, lifetime, now),
    ...(Object.fromEntries(lists) as Record<LegacyListKey, Counts>),
  };
}

/** @param now milliseconds since 1970-01-01 UTC */
export function presentLegacyFacts(
  link: Link,
  { totalClicks, uniqueClicks, lastClick, averageRedirectMs }: AllTimeTotals,
  now: number,
): LegacyFacts {
  return {
    _id: link.alias,
    short_code: link.alias,
    url: destination(link, now),
    'total-clicks': totalClicks,
    total_unique_clicks: uniqueClicks,
    'max-clicks': link.maxClicks === null ? null : String(link.maxClicks),
    'expiration-time': link.expireAfter && moment(link.expireAfter),
    password: link.passwordHash === null ? null : '********',
    'block-bots': link.blockBots,
    expired: isReached(link, now),
    'creation-date': moment(link.createdAt).slice(0, 10),
    'creation-time': moment(link.createdAt).slice(11),
    'last-click': lastClick && moment(new Date(lastClick.at)),
    'last-click-browser': lastClick && lastClick.browser,
    'last-click-os': lastClick && lastClick.os,
    'last-click-country': lastClick && lastClick.country,
    average_daily_clicks: rounded(totalClicks / (ageInDays(link, now) + 1)),
    average_weekly_clicks: rounded(totalClicks / 7),
    average_monthly_clicks: rounded(totalClicks / 30),
    average_redirection_time: rounded(averageRedirectMs),
  };
}

function listCounts({ totalClicks, lists }: AllTimeStatistics, key: LegacyListKey): Counts {
  const { dimension, metric } = LEGACY_LISTS[key];
  return dimension === 'time' && totalClicks === 0 ? {} : counts(lists[dimension], metric);
}

/** Own properties, even `__proto__`. `unique_` counts a visitor of two cut rows twice. */
function counts({ rows, cut }: AllTimeList, metric: 'clicks' | 'visitors'): Counts {
  const sums = new Map(rows.map((row) => [row.label, row[metric]]));
  if (cut.values > 0) sums.set(OTHER, (sums.get(OTHER) ?? 0) + cut[metric]);
  return Object.fromEntries(sums);
}

/** Hides the destination of closed links (docs/contract.md#9.4). */
function destination(link: Link, now: number): string {
  return reportedStatus(link, now) === 'ACTIVE' ? link.longUrl : '';
}

/** Null without limit and expiry. */
function isReached(link: Link, now: number): boolean | null {
  if (link.maxClicks === null && link.expireAfter === null) return null;
  return isExpired(link, now) || (link.maxClicks !== null && link.usedClicks >= link.maxClicks);
}

/** Calendar days since the day of creation. */
function ageInDays({ createdAt }: Link, now: number): number {
  return Math.floor(now / DAY_MS) - Math.floor(createdAt.getTime() / DAY_MS);
}

function moment(date: Date): string {
  return date.toISOString().slice(0, 19).replace('T', ' ');
}

function rounded(value: number): number {
  return Math.round(value * 100) / 100;
}

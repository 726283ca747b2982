import type {
  AllTimeList,
  AllTimeStatistics,
  AllTimeTotals,
} from '../../analytics/all-time-statistics.service';
import type { AllTimeDimension } from '../../analytics/dimensions';
import { DAY_MS } from '../../common/time';
import { isExpired, type Link, reportedStatus } from '../../stores/links/link';

/** Label → number, in the order of the figures. */
export type Counts = Record<string, number>;

/** Everything of the v0 statistics of a link that is not a list (docs/contract.md#13.3). */
export interface LegacyFacts {
  _id: string;
  short_code: string;
  /** Empty unless the link is active (docs/contract.md#9.4). */
  url: string;
  'total-clicks': number;
  total_unique_clicks: number;
  /** Digits. */
  'max-clicks': string | null;
  /** Times are UTC, `YYYY-MM-DD HH:MM:SS`. */
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

/** The lists by their keys, in the order of the object: of which dimension they count what. */
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

/** The v0 statistics of a link, as they go over the wire (docs/contract.md#13.3). */
export type LegacyStatsResponse = LegacyFacts & Record<LegacyListKey, Counts>;

const OTHER = '(other)';

/** The v0 object of docs/contract.md#13.3. */
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

/**
 * Members of the v0 object beside its lists.
 *
 * @param now milliseconds since 1970-01-01 UTC
 */
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

/**
 * Own properties whatever the label, `__proto__` too. The cut part is the sum of its rows, so
 * a visitor of two of them counts twice in a `unique_` object, as in the sum of an uncut one.
 */
function counts({ rows, cut }: AllTimeList, metric: 'clicks' | 'visitors'): Counts {
  const sums = new Map(rows.map((row) => [row.label, row[metric]]));
  if (cut.values > 0) sums.set(OTHER, (sums.get(OTHER) ?? 0) + cut[metric]);
  return Object.fromEntries(sums);
}

/** A closed link tells nobody any more where it led (docs/contract.md#9.4). */
function destination(link: Link, now: number): string {
  return reportedStatus(link, now) === 'ACTIVE' ? link.longUrl : '';
}

/** Whether limit or expiry is reached; null when the link has neither. */
function isReached(link: Link, now: number): boolean | null {
  if (link.maxClicks === null && link.expireAfter === null) return null;
  return isExpired(link, now) || (link.maxClicks !== null && link.usedClicks >= link.maxClicks);
}

/** Calendar days between the day of creation and today. */
function ageInDays({ createdAt }: Link, now: number): number {
  return Math.floor(now / DAY_MS) - Math.floor(createdAt.getTime() / DAY_MS);
}

function moment(date: Date): string {
  return date.toISOString().slice(0, 19).replace('T', ' ');
}

function rounded(value: number): number {
  return Math.round(value * 100) / 100;
}

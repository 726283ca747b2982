import type { AllTimeDimension } from '../../analytics/lifetime';

/** Label → number, in the order of the figures. */
export type Counts = Record<string, number>;

/** Everything of the v0 statistics of a link that is not a list (contract 13.3). */
export interface LegacyFacts {
  _id: string;
  short_code: string;
  /** Empty unless the link is active (contract 9.4). */
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

/** The v0 statistics of a link, as they go over the wire (contract 13.3). */
export type LegacyStatsResponse = LegacyFacts & Record<LegacyListKey, Counts>;

/** Label → number, in the order of the figures. */
export type Counts = Record<string, number>;

/** The v0 statistics of a link, as they go over the wire (contract 13.3). */
export interface LegacyStats {
  _id: string;
  short_code: string;
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
  counter: Counts;
  unique_counter: Counts;
  browser: Counts;
  os_name: Counts;
  country: Counts;
  referrer: Counts;
  bots: Counts;
  unique_browser: Counts;
  unique_os_name: Counts;
  unique_country: Counts;
  unique_referrer: Counts;
}

/**
 * One visit that was answered with a redirect, as the redirect saw it: raw, nothing looked up.
 * The redirect writes it to the click journal; the recorder turns it into a click (contract 8.4).
 */
export interface LinkVisited {
  /** Milliseconds since 1970-01-01 UTC, taken when the request arrived. */
  at: number;
  /** The link's id: 24 lower-case hex characters. */
  linkId: string;
  /** Client address after TRUST_PROXY; leaves the machine's memory only for the journal. */
  ip: string;
  /** The User-Agent header, empty when absent. */
  userAgent: string;
  /** The Referer header, empty when absent. */
  referer: string;
  /** Query of the visited short URL without the `?`, empty when absent. Never a password. */
  query: string;
  /** Whole milliseconds from the request to its redirect. */
  redirectMs: number;
  /** True when a click slot of a link with max_clicks was taken for this visit. */
  slot: boolean;
}

/** Characters of a User-Agent that are looked at: no client says anything of use behind them. */
export const USER_AGENT_LENGTH = 512;

/**
 * One visit that was answered with a redirect, as the redirect saw it: nothing looked up,
 * headers and query cut to what a click is made of.
 * The redirect writes it to the click journal; the recorder turns it into a click (docs/contract.md#8.4).
 */
export interface ClickEvent {
  /** Milliseconds since 1970-01-01 UTC, taken when the request arrived. */
  at: number;
  /** The link's id: 24 lower-case hex characters. */
  linkId: string;
  /** Client address after TRUST_PROXY; leaves the machine's memory only for the journal. */
  ip: string;
  /** The first USER_AGENT_LENGTH characters of the User-Agent header, empty when absent. */
  userAgent: string;
  /** Scheme, host and port of the Referer header, empty when absent. */
  referer: string;
  /** The utm_ pairs of the visited short URL's query, else of the destination's; empty without any. Never a password. */
  query: string;
  /** Whole milliseconds from the request to its redirect. */
  redirectMs: number;
  /** True when a click slot of a link with max_clicks was taken for this visit. */
  slot: boolean;
  /** Bits of SIGNALS (click-engine/signals.ts) that the request itself says. */
  flags: number;
  /** Key of the rule or variant that chose the destination; empty where none did. */
  variant: string;
}

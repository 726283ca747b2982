/** Characters of a User-Agent that are parsed; useful information never comes later. */
export const USER_AGENT_LENGTH = 512;

/** One redirected visit as received; the recorder makes it a click (docs/contract.md#8.4). */
export interface ClickEvent {
  /** Milliseconds since 1970-01-01 UTC, at arrival of the request. */
  at: number;
  /** 24 lower-case hex characters. */
  linkId: string;
  /** Client address after TRUST_PROXY; persisted in the journal only. */
  ip: string;
  /** First USER_AGENT_LENGTH characters; empty without the header. */
  userAgent: string;
  /** Scheme, host and port of the Referer header; empty if absent. */
  referer: string;
  /** utm_ pairs of the short URL's query, otherwise of the destination's. Never a password. */
  query: string;
  /** Whole milliseconds from the request to its redirect. */
  redirectMs: number;
  /** Whether the visit took a click slot of a link with max_clicks. */
  slot: boolean;
  /** Bits of SIGNALS (click-engine/signals.ts) derived from the request. */
  flags: number;
  /** Key of the rule or variant that chose the destination, or empty. */
  variant: string;
}

/** Maximum characters of a User-Agent to parse; later text contains no useful information. */
export const USER_AGENT_LENGTH = 512;

/** A redirected visit as received; the recorder converts it to a click. */
export interface ClickEvent {
  /** Time at which the request arrived, in milliseconds since 1970-01-01 UTC. */
  at: number;
  /** 24 lower-case hex characters. */
  linkId: string;
  /** Client address according to TRUST_PROXY; stored only in the journal. */
  ip: string;
  /** The first USER_AGENT_LENGTH characters; empty if the header is missing. */
  userAgent: string;
  /** Scheme, host and port of the Referer header; empty if the header is missing. */
  referer: string;
  /** utm_ parameters from the short URL or, without any, from the destination. Never a password. */
  query: string;
  /** Whole milliseconds from the request to the redirect. */
  redirectMs: number;
  /** Whether the redirect took one of the link's click slots (max_clicks). */
  slot: boolean;
  /** Bits from SIGNALS (chunk/click.ts), derived from the request. */
  flags: number;
  /** Key of the rule or variant that determined the destination, or an empty string. */
  variant: string;
}

/** Redirect time of a click that has none, because it was imported; recorded ones are shorter. */
export const NO_REDIRECT_MS = 2 ** 32 - 1;

/** Visitor of imported clicks by visitors who are not told apart: counted as clicks, and as nobody. */
export const NO_VISITOR = '0'.repeat(24);

/** A recorded click (docs/contract.md#8.4) of one link; missing values are null, never labels. */
export interface Click {
  /** Milliseconds since 1970-01-01 UTC. */
  at: number;
  /** 12 bytes: keyed hash of client address and User-Agent, as 24 lower-case hex characters; or NO_VISITOR. */
  visitor: string;
  browser: string | null;
  os: string | null;
  device: 'mobile' | 'tablet' | 'desktop' | 'unknown';
  /** English country name. */
  country: string | null;
  /** ISO 3166-1 alpha-2. */
  countryCode: string | null;
  city: string | null;
  /** `scheme://host`, lower case. */
  referrer: string | null;
  utmSource: string | null;
  utmMedium: string | null;
  utmCampaign: string | null;
  /** Key of the rule or variant that chose the destination; null where none did. */
  variant: string | null;
  /** Name of the bot (docs/contract.md#8.4); null when the visitor is not a known one. */
  botName: string | null;
  /** Whole milliseconds from request to redirect, or NO_REDIRECT_MS. */
  redirectMs: number;
  /** True when a click slot was taken for it. */
  slot: boolean;
  /** Bits of SIGNALS (signals.ts). */
  signals: number;
}

/** Marks imported clicks, whose redirect time is unknown; recorded times are smaller. */
export const NO_REDIRECT_MS = 2 ** 32 - 1;

/** Visitor for imported clicks without a known visitor; they count as clicks, not as visitors. */
export const NO_VISITOR = '0'.repeat(24);

/** A recorded click (docs/contract.md#8.4); missing values are null instead of labels. */
export interface Click {
  /** Milliseconds since 1970-01-01 UTC. */
  at: number;
  /** Keyed hash of IP address and User-Agent (24 lower-case hex characters), or NO_VISITOR. */
  visitor: string;
  browser: string | null;
  os: string | null;
  device: 'mobile' | 'tablet' | 'desktop' | 'unknown';
  country: string | null;
  /** ISO 3166-1 alpha-2. */
  countryCode: string | null;
  city: string | null;
  /** `scheme://host` in lower case. */
  referrer: string | null;
  utmSource: string | null;
  utmMedium: string | null;
  utmCampaign: string | null;
  /** Key of the rule or variant that determined the destination, if any. */
  variant: string | null;
  /** Name of a known bot; null for any other visitor (docs/contract.md#8.4). */
  botName: string | null;
  /** Whole milliseconds from request to redirect, or NO_REDIRECT_MS. */
  redirectMs: number;
  /** Whether the redirect took one of the link's click slots (max_clicks). */
  slot: boolean;
  /** Bits defined in SIGNALS (signals.ts). */
  signals: number;
}

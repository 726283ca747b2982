/** Bits used in the journal (`flags`) and in stored chunks (`signals`). Never reuse a bit. */
export const SIGNALS = {
  /** A request header identifies a preview or prefetch. */
  prefetch: 1,
  /** The short URL's query contains `qr=1`. */
  qrCode: 2,
  /** The click does not count towards max_clicks. */
  exempt: 4,
  /** Reserved for clicks that are counted without a visitor. */
  noVisitor: 8,
  /** The User-Agent is a link previewer; set by the recorder, never in the journal. */
  previewer: 16,
} as const;

/** Whether the click counts towards max_clicks although its redirect took no click slot. */
export function isOpenClick({ slot, signals }: Pick<Click, 'slot' | 'signals'>): boolean {
  return !slot && (signals & SIGNALS.exempt) === 0;
}

const OF_PREVIEWS = SIGNALS.prefetch | SIGNALS.previewer;

export const AUDIENCE_CLASSES = ['human', 'preview', 'bot'] as const;
export type AudienceClass = (typeof AUDIENCE_CLASSES)[number];

/** Returns a click's audience class (docs/contract.md#28). */
export function audienceClass(signals: number, isNamedBot: boolean): AudienceClass {
  if ((signals & OF_PREVIEWS) !== 0) return 'preview';
  return isNamedBot ? 'bot' : 'human';
}

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
  /** Bits defined in SIGNALS. */
  signals: number;
}

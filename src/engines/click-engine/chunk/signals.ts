import type { Click } from './click';

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

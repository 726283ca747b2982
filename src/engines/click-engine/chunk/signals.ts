import type { Click } from './click';

/** Bits shared by the journal (`flags`) and stored chunks (`signals`). Never reuse a bit. */
export const SIGNALS = {
  /** A header marks the request as a preview or prefetch. */
  prefetch: 1,
  /** `qr=1` in the query of the short URL. */
  qrCode: 2,
  /** Takes no slot and counts toward no limit. */
  exempt: 4,
  /** Reserved: counted without a visitor. */
  noVisitor: 8,
  /** The User-Agent is a link previewer; set by the recorder, never in the journal. */
  previewer: 16,
} as const;

/** Whether a click counts toward a limit although it took no slot. */
export function isOpenClick({ slot, signals }: Pick<Click, 'slot' | 'signals'>): boolean {
  return !slot && (signals & SIGNALS.exempt) === 0;
}

const OF_PREVIEWS = SIGNALS.prefetch | SIGNALS.previewer;

export const AUDIENCE_CLASSES = ['human', 'preview', 'bot'] as const;
export type AudienceClass = (typeof AUDIENCE_CLASSES)[number];

/** Exactly one class per click (docs/contract.md#28). */
export function audienceClass(signals: number, isNamedBot: boolean): AudienceClass {
  if ((signals & OF_PREVIEWS) !== 0) return 'preview';
  return isNamedBot ? 'bot' : 'human';
}

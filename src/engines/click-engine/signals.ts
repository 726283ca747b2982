import type { Click } from './click';

/**
 * Facts about the request of a click beside its visitor, as bits of one number, which the journal
 * (`flags`) and stored chunks (`signals`) have in common. Bits are for ever.
 */
export const SIGNALS = {
  /** A header asked for it as a preview, or ahead of a visit. */
  askedAhead: 1,
  /** `qr=1` in the query of the short URL. */
  qrCode: 2,
  /** Took no slot and counts toward no limit. */
  exempt: 4,
  /** Counted without a visitor: reserved. */
  noVisitor: 8,
  /** The User-Agent is that of a link previewer; the recorder finds it out, the journal has it not. */
  previewer: 16,
} as const;

/** Whether a click counts toward a limit although it took no slot. */
export function isOpenClick({ slot, signals }: Pick<Click, 'slot' | 'signals'>): boolean {
  return !slot && (signals & SIGNALS.exempt) === 0;
}

const OF_PREVIEWS = SIGNALS.askedAhead | SIGNALS.previewer;

export const AUDIENCE_CLASSES = ['human', 'preview', 'bot'] as const;
export type AudienceClass = (typeof AUDIENCE_CLASSES)[number];

/** The one class that a click is of (docs/contract.md#28). */
export function audienceClass(signals: number, isNamedBot: boolean): AudienceClass {
  if ((signals & OF_PREVIEWS) !== 0) return 'preview';
  return isNamedBot ? 'bot' : 'human';
}

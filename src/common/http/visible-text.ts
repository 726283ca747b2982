/** Marks that steer the direction of text, or that nobody sees: they make one text look like another. */
const DECEIVING = /[\u00ad\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]/g;

/**
 * Text that others typed, as a page shows it: characters that could disguise it are
 * percent-encoded, so that what is read is what is there.
 */
export function visibleText(text: string): string {
  return text.toWellFormed().replace(DECEIVING, (mark) => encodeURIComponent(mark));
}

/** Control characters: C0, DEL and C1. */
const CONTROL = /\p{Cc}/u;
/** The same without what texts of several lines have. */
const CONTROL_BUT_LINES = /(?![\t\n\r])\p{Cc}/u;
/** Line separators of Unicode, and marks that turn the direction of what follows round. */
const HIDDEN_CHARACTERS = /[\u2028\u2029\u202a-\u202e\u2066-\u2069]/;
/** Only characters without a visible form; U+2800 is a Braille pattern without dots. */
const UNSEEN_TEXT = /^[\p{Z}\p{Cc}\p{Cf}\p{Default_Ignorable_Code_Point}\u2800]*$/u;
const HALF_CHARACTER = /\p{Surrogate}/u;

export interface TextForm {
  /** In code points. */
  readonly max: number;
  /** Whether it may have tabs and line breaks. */
  readonly lines?: boolean;
}

/**
 * Why a trimmed text cannot be one that people read (docs/contract.md#19.1); null when it can. HTML
 * and formulas are texts like all others: who shows them escapes them.
 */
export function textProblem(text: string, { max, lines = false }: TextForm): string | null {
  if (text === '') return 'must not be empty';
  if (text.length > max && codePoints(text, max + 1) > max) {
    return `must have at most ${max} characters`;
  }
  if ((lines ? CONTROL_BUT_LINES : CONTROL).test(text)) {
    return lines
      ? 'must have no control characters but tabs and line breaks'
      : 'must be one line without control characters';
  }
  if (HIDDEN_CHARACTERS.test(text)) return 'must have no line separators and no marks of direction';
  if (HALF_CHARACTER.test(text)) return 'must have no half characters';
  return UNSEEN_TEXT.test(text) ? 'must have a character that can be seen' : null;
}

const ASCII = /^\p{ASCII}*$/u;
/** More marks on one letter than any writing has (UAX 15, stream-safe text). */
const MANY_MARKS = /\p{M}{31}/u;

/**
 * The text in NFC, in which the same letters are the same code points. One with letters under a heap
 * of marks stays as it is: the time to sort them grows with the square of their number.
 */
export function composed(text: string): string {
  return ASCII.test(text) || MANY_MARKS.test(text) ? text : text.normalize('NFC');
}

/** The first code points of a text. */
export function firstCodePoints(text: string, count: number): string {
  if (text.length <= count) return text;
  let end = 0;
  for (let i = 0; i < count && end < text.length; i++) end += widthAt(text, end);
  return text.slice(0, end);
}

/** How many there are, counted up to so many. */
function codePoints(text: string, enough: number): number {
  let count = 0;
  for (let at = 0; at < text.length && count < enough; count++) at += widthAt(text, at);
  return count;
}

function widthAt(text: string, at: number): 1 | 2 {
  return (text.codePointAt(at) ?? 0) > 0xffff ? 2 : 1;
}

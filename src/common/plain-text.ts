/** Control characters: C0, DEL and C1. */
const CONTROL = /\p{Cc}/u;
const CONTROL_BUT_LINES = /(?![\t\n\r])\p{Cc}/u;
/** Unicode line separators, and marks that change the text direction. */
const HIDDEN_CHARACTERS = /[\u2028\u2029\u202a-\u202e\u2066-\u2069]/;
/** Text consisting only of invisible characters. U+2800 is a Braille pattern without dots. */
const UNSEEN_TEXT = /^[\p{Z}\p{Cc}\p{Cf}\p{Default_Ignorable_Code_Point}\u2800]*$/u;
const HALF_CHARACTER = /\p{Surrogate}/u;

export interface TextForm {
  /** Maximum length in code points. */
  readonly max: number;
  /** Whether tabs and line breaks are valid. */
  readonly lines?: boolean;
}

/** `1 link`, `2 links`. */
export function countNoun(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}

/** Returns why a trimmed text is invalid, or null. HTML is accepted, because output is escaped. */
export function textProblem(text: string, { max, lines = false }: TextForm): string | null {
  if (text === '') return 'must not be empty';
  if (text.length > max && codePoints(text, max + 1) > max) {
    return `must have at most ${max} characters`;
  }
  if ((lines ? CONTROL_BUT_LINES : CONTROL).test(text)) {
    return lines
      ? 'must not have control characters other than tabs and line breaks'
      : 'must be one line without control characters';
  }
  if (HIDDEN_CHARACTERS.test(text)) return 'must not have line separators or direction marks';
  if (HALF_CHARACTER.test(text)) return 'must not have unpaired surrogates';
  return UNSEEN_TEXT.test(text) ? 'must have a visible character' : null;
}

const NOT_ASCII = /\P{ASCII}/u;
/** Matches letters with more marks than any script uses (UAX 15, stream-safe text). */
const MANY_MARKS = /\p{M}{31}/u;

/**
 * Returns NFC, except for strings with too many marks, because sorting the marks takes quadratic
 * time.
 */
export function composed(text: string): string {
  return NOT_ASCII.test(text) && !MANY_MARKS.test(text) ? text.normalize('NFC') : text;
}

export function firstCodePoints(text: string, count: number): string {
  if (text.length <= count) return text;
  let end = 0;
  for (let i = 0; i < count && end < text.length; i++) end += widthAt(text, end);
  return text.slice(0, end);
}

/** Stops as soon as the count reaches `enough`. */
function codePoints(text: string, enough: number): number {
  let count = 0;
  for (let at = 0; at < text.length && count < enough; count++) at += widthAt(text, at);
  return count;
}

function widthAt(text: string, at: number): 1 | 2 {
  return (text.codePointAt(at) ?? 0) > 0xffff ? 2 : 1;
}

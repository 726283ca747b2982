import { composed, firstCodePoints } from '../../common/plain-text';
import { Utf8Text } from '../../infrastructure/mongo/bson-fields';
import { placeOfKey } from '../../stores/links/alias-form';
import type { ListedLink, ListedText } from './listed-link';

export const LINE_FEED = 10;
const TAB = 9;
const CARRIAGE_RETURN = 13;
const SPACE = 32;
const SLASH = '/'.charCodeAt(0);
const FIRST_NOT_ASCII = 0x80;
const LOWER_CASE = Uint8Array.from({ length: 256 }, (_, byte) =>
  byte >= 65 && byte <= 90 ? byte + 32 : byte,
);
/** Number of searchable code points in a note. */
const SEARCHED_OF_NOTE = 200;

// Reused, which spares the garbage collector.
const asciiLine = Buffer.allocUnsafeSlow(16 * 1024);
const asciiNote = Buffer.allocUnsafeSlow(SEARCHED_OF_NOTE);

/**
 * Each part ends with a character that no part contains, so no match spans two parts. The alias
 * ends with a line feed, the other parts with tabs. Adds the NFC form of the title if it differs.
 * The result is valid until the next call.
 */
export function searchedText(link: ListedLink): Utf8Text {
  const titleFrom = appendLower(link.alias, 0, LINE_FEED);
  const urlFrom = appendLower(link.title, titleFrom, TAB);
  const end = appendLower(link.longUrl, urlFrom, LINE_FEED);
  if (end !== -1 && !isOnDomain(link.alias)) return new Utf8Text(asciiLine, 0, end);
  const title = String(link.title);
  const lower = title.toLowerCase();
  const composedTitle = folded(title);
  const composedPart = composedTitle === lower ? '' : `${composedTitle}\t`;
  return encoded(
    `${lineOfKey(String(link.alias))}\n${lower}\t${composedPart}${folded(String(link.longUrl))}\n`,
  );
}

/** The searchable start of the note. The result is valid until the next call. */
export function searchedNote({ note }: ListedLink): Utf8Text {
  if (typeof note !== 'string') {
    const last = Math.min(note.end, note.from + SEARCHED_OF_NOTE);
    let [seen, end] = [0, 0];
    for (let i = note.from; i < last; i++) {
      const byte = note.bytes[i] ?? 0;
      seen |= byte;
      const isSpace = byte === SPACE || (byte >= TAB && byte <= CARRIAGE_RETURN);
      if (!isSpace) asciiNote[end++] = LOWER_CASE[byte] ?? 0;
      else if (end === 0 || asciiNote[end - 1] !== SPACE) asciiNote[end++] = SPACE;
    }
    if (seen < FIRST_NOT_ASCII) return new Utf8Text(asciiNote, 0, end);
  }
  const text = folded(firstCodePoints(String(note), SEARCHED_OF_NOTE));
  return encoded(text.replace(/\s+/g, ' '));
}

export function isOnDomain(alias: ListedText): boolean {
  if (typeof alias === 'string') return alias.includes('/');
  for (let i = alias.from; i < alias.end; i++) if (alias.bytes[i] === SLASH) return true;
  return false;
}

export function isEnd(byte: number | undefined): boolean {
  return byte === TAB || byte === LINE_FEED;
}

/** Returns the offset after the terminator; -1 if the text is not undecoded ASCII that fits. */
function appendLower(text: ListedText, at: number, terminator: number): number {
  if (typeof text === 'string' || at === -1) return -1;
  const { bytes, from } = text;
  const length = text.end - from;
  if (at + length >= asciiLine.length) return -1;
  let seen = 0;
  for (let i = 0; i < length; i++) {
    const byte = bytes[from + i] ?? 0;
    seen |= byte;
    asciiLine[at + i] = LOWER_CASE[byte] ?? 0;
  }
  asciiLine[at + length] = terminator;
  return seen < FIRST_NOT_ASCII ? at + length + 1 : -1;
}

/** The alias, then a tab and the domain id in capitals, which no search word contains. */
function lineOfKey(key: string): string {
  const { domainId, alias } = placeOfKey(key);
  return domainId === null ? folded(alias) : `${folded(alias)}\t${domainId.toUpperCase()}`;
}

function encoded(text: string): Utf8Text {
  const bytes = Buffer.from(text);
  return new Utf8Text(bytes, 0, bytes.length);
}

function folded(text: string): string {
  return composed(text).toLowerCase();
}

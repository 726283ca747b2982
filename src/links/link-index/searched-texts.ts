import { composed, firstCodePoints } from '../../common/plain-text';
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
const asciiNote = Buffer.allocUnsafeSlow(SEARCHED_OF_NOTE + 1);

/**
 * Each part ends with a character that no part contains, so no match spans two parts. The alias
 * ends with a line feed, the other parts with tabs. Adds the NFC form of the title if it differs.
 * The result is valid until the next call.
 */
export function searchedText(link: ListedLink): Buffer {
  const titleFrom = copyLower(link.alias, asciiLine, 0, LINE_FEED);
  const urlFrom = copyLower(link.title, asciiLine, titleFrom, TAB);
  const end = copyLower(link.longUrl, asciiLine, urlFrom, LINE_FEED);
  if (end !== -1 && !isOnDomain(link.alias)) return asciiLine.subarray(0, end);
  const title = String(link.title);
  const lower = title.toLowerCase();
  const composedTitle = folded(title);
  const composedPart = composedTitle === lower ? '' : `${composedTitle}\t`;
  return Buffer.from(
    `${lineOfKey(String(link.alias))}\n${lower}\t${composedPart}${folded(String(link.longUrl))}\n`,
  );
}

/** The searchable start of the note. The result is valid until the next call. */
export function searchedNote({ note }: ListedLink): Buffer {
  const copied = copyLower(note, asciiNote, 0, LINE_FEED, SEARCHED_OF_NOTE) - 1;
  if (copied < 0) {
    const text = folded(firstCodePoints(String(note), SEARCHED_OF_NOTE));
    return Buffer.from(text.replace(/\s+/g, ' '));
  }
  let end = 0;
  for (let i = 0; i < copied; i++) {
    const byte = asciiNote[i] ?? 0;
    const isSpace = byte === SPACE || (byte >= TAB && byte <= CARRIAGE_RETURN);
    if (!isSpace || end === 0 || asciiNote[end - 1] !== SPACE) {
      asciiNote[end++] = isSpace ? SPACE : byte;
    }
  }
  return asciiNote.subarray(0, end);
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
function copyLower(
  text: ListedText,
  target: Buffer,
  at: number,
  terminator: number,
  most = Infinity,
): number {
  if (typeof text === 'string' || at === -1) return -1;
  const { bytes, from } = text;
  const length = Math.min(text.end - from, most);
  if (at + length >= target.length) return -1;
  let seen = 0;
  for (let i = 0; i < length; i++) {
    const byte = bytes[from + i] ?? 0;
    seen |= byte;
    target[at + i] = LOWER_CASE[byte] ?? 0;
  }
  target[at + length] = terminator;
  return seen < FIRST_NOT_ASCII ? at + length + 1 : -1;
}

/** The alias, then a tab and the domain id in capitals, which no search word contains. */
function lineOfKey(key: string): string {
  const { domainId, alias } = placeOfKey(key);
  return domainId === null ? folded(alias) : `${folded(alias)}\t${domainId.toUpperCase()}`;
}

function folded(text: string): string {
  return composed(text).toLowerCase();
}

import { isUtf8 } from 'node:buffer';
import { open } from 'node:fs/promises';
import {
  FileWindow,
  fromWindows1252,
  MAX_FIELD_BYTES,
  MAX_ROW_BYTES,
  type ReadBytes,
} from '../../reading/file-window';

const [TAB, LF, CR, SPACE, QUOTE] = [9, 10, 13, 32, 34];
const MARK = Buffer.from('\ufeff');
const OPEN_QUOTE = 'a quote is not closed';

export interface CsvRecord {
  /** Row number as in a spreadsheet, counting blank lines. */
  readonly row: number;
  /** Byte offset of the next row. */
  readonly end: number;
  readonly fields: readonly string[];
  readonly problem: string | null;
  /** Whether the bytes were decoded as Windows-1252 because they are not UTF-8. */
  readonly isGuessed: boolean;
}

export interface CsvPosition {
  /** In bytes. */
  readonly offset: number;
  readonly row: number;
}

export const CSV_START: CsvPosition = { offset: 0, row: 1 };

/**
 * Yields all rows; after an unreadable row, continues with the next line.
 * @param longColumns columns whose fields are limited only by the length of the row
 */
export async function* csvRecords(
  path: string,
  separator: string,
  from: CsvPosition = CSV_START,
  longColumns: ReadonlySet<number> = new Set(),
): AsyncGenerator<CsvRecord> {
  const file = await open(path, 'r');
  try {
    const read: ReadBytes = (into, at) => file.read(into, 0, into.length, at);
    yield* readRecords(read, separator, from, longColumns);
  } finally {
    await file.close();
  }
}

export async function* readRecords(
  read: ReadBytes,
  separator: string,
  from: CsvPosition = CSV_START,
  longColumns: ReadonlySet<number> = new Set(),
): AsyncGenerator<CsvRecord> {
  const window = new FileWindow(read, from.offset);
  let { row } = from;
  if (from.offset === 0 && (await window.startsWith(MARK))) window.skip(MARK.length);
  for (;;) {
    row += passBlankLines(window);
    const scan = await scanRow(window, separator.charCodeAt(0));
    if (scan === null) return;
    const { bytes, next, problem } = scan;
    // Fields refer to the window's buffer, so they are read before the window moves.
    const record =
      problem === null ? readCsvRow(bytes, separator, longColumns) : { problem, fields: [] };
    window.skip(next);
    const isBlank = problem === null && bytes.length === 0;
    if (!isBlank) yield { isGuessed: false, ...record, row, end: window.offset };
    row++;
  }
}

/** Returns the most frequent separator outside quotes in the first non-blank line. */
export function findSeparator(text: string): string {
  const line =
    text
      .replace(/^[\r\n]+/, '')
      .replaceAll(/"(?:[^"]|"")*"/g, '')
      .split(/[\r\n]/, 1)[0] ?? '';
  const counts = ([',', ';', '\t'] as const).map((separator) => ({
    one: separator,
    n: line.split(separator).length,
  }));
  return counts.reduce((most, next) => (next.n > most.n ? next : most)).one;
}

/** Skips and counts blank lines. The last byte may be the first half of a CRLF. */
function passBlankLines(window: FileWindow): number {
  const { bytes } = window;
  let [at, lines] = [0, 0];
  while (at + 1 < bytes.length && (bytes[at] === LF || bytes[at] === CR)) {
    if (bytes[at] === LF || bytes[at + 1] !== LF) lines++;
    at++;
  }
  window.skip(at);
  return lines;
}

interface RowScan {
  readonly bytes: Buffer;
  readonly next: number;
  readonly problem: string | null;
}

const isSpace = (code: number | undefined, separator: number): boolean =>
  code === SPACE || (code === TAB && separator !== TAB);

/** Returns the row at the start of the window, or null at the end of the file. */
async function scanRow(window: FileWindow, separator: number): Promise<RowScan | null> {
  let [at, opened] = [0, 0];
  let [isQuoted, isClosed, isFieldStart, wasOpen] = [false, false, true, false];
  const isSpaced = (quote: number): boolean =>
    quote > 0 && isSpace(window.bytes[quote - 1], separator);
  // A quote after spaces is ordinary text unless the quotes enclose the whole field.
  const readAsText = (): void => {
    at = opened + 1;
    isQuoted = isClosed = isFieldStart = false;
  };
  for (;;) {
    while (at + 1 >= window.bytes.length && !window.isAtEnd) await window.extend();
    const { bytes } = window;
    if (at >= bytes.length) {
      if (at === 0) return null;
      if (!isQuoted) return { bytes, next: bytes.length, problem: null };
    }
    if (isQuoted && (at >= bytes.length || at > MAX_ROW_BYTES)) {
      if (wasOpen || !isSpaced(opened)) return skipLine(window, OPEN_QUOTE);
      wasOpen = true;
      readAsText();
      continue;
    }
    if (at > MAX_ROW_BYTES) return skipLine(window, 'longer than 1 MiB');
    const byte = bytes[at];
    if (isQuoted) {
      if (byte === QUOTE && bytes[at + 1] === QUOTE) at++;
      else if (byte === QUOTE) [isQuoted, isClosed] = [false, true];
    } else if (byte === LF || byte === CR) {
      const width = byte === CR && bytes[at + 1] === LF ? 2 : 1;
      return { bytes: bytes.subarray(0, at), next: at + width, problem: null };
    } else if (byte === separator) {
      [isClosed, isFieldStart] = [false, true];
    } else if (isSpace(byte, separator)) {
      // Spaces around a quoted field are dropped; other spaces belong to the text.
    } else if (isClosed) {
      if (!isSpaced(opened)) return skipLine(window, 'text after the end of a quoted field');
      readAsText();
      continue;
    } else if (byte === QUOTE && isFieldStart && !(wasOpen && isSpaced(at))) {
      [isQuoted, isFieldStart, opened] = [true, false, at];
    } else isFieldStart = false;
    at++;
  }
}

async function skipLine(window: FileWindow, problem: string): Promise<RowScan> {
  for (let at = 0; ; at++) {
    while (at + 1 >= window.bytes.length && !window.isAtEnd) {
      // The row is too long to be parsed, so the window does not have to keep it.
      if (at > MAX_ROW_BYTES) {
        window.skip(at);
        at = 0;
      }
      await window.extend();
    }
    const byte = window.bytes[at];
    const nothing = Buffer.alloc(0);
    if (byte === undefined) return { bytes: nothing, next: at, problem };
    if (byte !== LF && byte !== CR) continue;
    const width = byte === CR && window.bytes[at + 1] === LF ? 2 : 1;
    return { bytes: nothing, next: at + width, problem };
  }
}

function readCsvRow(
  bytes: Buffer,
  separator: string,
  longColumns: ReadonlySet<number>,
): Pick<CsvRecord, 'fields' | 'problem' | 'isGuessed'> {
  const isGuessed = !isUtf8(bytes);
  const text = isGuessed ? fromWindows1252(bytes) : bytes.toString();
  if (hasNoText(bytes)) return { fields: [], problem: 'bytes that are not text', isGuessed: false };
  const fields = splitFields(text, separator);
  const isLong = fields.some(
    (field, column) => !longColumns.has(column) && Buffer.byteLength(field) > MAX_FIELD_BYTES,
  );
  const problem = isLong ? 'a field is longer than 64 KiB' : null;
  return { fields: isLong ? [] : fields, problem, isGuessed };
}

function hasNoText(bytes: Buffer): boolean {
  return bytes.some((byte) => byte < 32 && byte !== TAB && byte !== LF && byte !== CR);
}

function splitFields(text: string, separator: string): string[] {
  const fields: string[] = [];
  for (let at = 0; ;) {
    const quoted = quotedField(text, at, separator);
    const separatorAt = text.indexOf(separator, at);
    const end = quoted?.end ?? (separatorAt === -1 ? text.length : separatorAt);
    fields.push(quoted?.value ?? text.slice(at, end));
    if (end >= text.length) return fields;
    at = end + 1;
  }
}

/** Parses a quoted field up to its separator or the row's end; null if it is not quoted. */
function quotedField(
  text: string,
  at: number,
  separator: string,
): { value: string; end: number } | null {
  const start = afterSpaces(text, at, separator);
  if (text[start] !== '"') return null;
  let close = text.indexOf('"', start + 1);
  while (close !== -1 && text[close + 1] === '"') close = text.indexOf('"', close + 2);
  if (close === -1) return null;
  const end = afterSpaces(text, close + 1, separator);
  if (end < text.length && text[end] !== separator) return null;
  return { value: text.slice(start + 1, close).replaceAll('""', '"'), end };
}

function afterSpaces(text: string, at: number, separator: string): number {
  let end = at;
  while (isSpace(text.charCodeAt(end), separator.charCodeAt(0))) end++;
  return end;
}

import { type FileWindow, MAX_ROW_BYTES } from '../csv/csv-records';
import { SQL_BYTES, type SqlDialect, SqlScan, skipSpace } from './sql-text';

/** Bytes of a statement that is taken as a whole. */
const MAX_STATEMENT = 256 * 1024;
/** Bytes of a header, up to the word VALUES. */
const MAX_INSERT_HEADER = 64 * 1024;
const SHORT_HEADER = 2048;
const IDENTIFIER = '(?:`[^`]+`|"[^"]+"|\\[[^\\]]+\\]|[\\w$]+)';
const TABLE = `${IDENTIFIER}(?:\\s*\\.\\s*${IDENTIFIER}){0,2}`;
const INSERT = new RegExp(
  `^(?:INSERT|REPLACE)(?:\\s+(?:LOW_PRIORITY|DELAYED|HIGH_PRIORITY|IGNORE|OR\\s+\\w+))*\\s+INTO\\s+(${TABLE})\\s*(?:\\(([^()]*)\\)\\s*)?VALUES?\\s*(?=\\()`,
  'i',
);

/** Where an INSERT says what its rows are. */
export interface InsertHeader {
  readonly table: string;
  /** Null without a list of columns. */
  readonly columns: readonly string[] | null;
  readonly length: number;
}

/** One row as it stands in the file. */
export interface RawRow {
  /** With its parentheses, or the line of COPY; null for one that cannot be read. */
  readonly bytes: Buffer | null;
  readonly problem: string | null;
}

/** The header of the INSERT at the beginning of the window; null where another statement begins. */
export async function insertHeader(window: FileWindow): Promise<InsertHeader | null> {
  for (const length of [SHORT_HEADER, MAX_INSERT_HEADER]) {
    await atLeast(window, length);
    const text = window.bytes.toString('latin1', 0, length);
    if (!/^(?:INSERT|REPLACE)\s/i.test(text)) return null;
    const found = INSERT.exec(text);
    if (found !== null) {
      const [whole, table = '', list] = found;
      const columns = list === undefined ? null : list.split(',').map(identifier);
      return { table: tableName(table), columns, length: whole.length };
    }
    // The statement ends before its rows: many short ones are not each looked at twice.
    if (text.includes(';')) return null;
  }
  return null;
}

/** The last part of a name, without quotes. */
export function tableName(name: string): string {
  return identifier(name.split('.').at(-1) ?? name);
}

export function identifier(text: string): string {
  return text
    .trim()
    .replaceAll(/^[`"[]|[`"\]]$/g, '')
    .toLowerCase();
}

/** Fills the window with so many bytes, or with all that there are. */
export async function atLeast(window: FileWindow, count: number): Promise<void> {
  while (window.bytes.length < count && !window.isAtEnd) await window.extend();
}

/** Moves the window to the next byte that is neither space nor in a comment; false at the end. */
export async function passSpace(window: FileWindow, dialect: SqlDialect): Promise<boolean> {
  for (;;) {
    const at = skipSpace(window.bytes, 0, window.isAtEnd, dialect);
    if (at >= 0) {
      window.skip(at);
      return window.bytes.length > 0;
    }
    // A comment or a stretch of spaces that is longer than the window is passed over bit by bit.
    if (window.bytes.length > MAX_ROW_BYTES) window.skip(window.bytes.length - 2);
    await window.extend();
  }
}

/** Moves the window behind the `;` of its statement, or behind the next one at a line's end when it is broken. */
export async function passStatement(window: FileWindow, dialect: SqlDialect): Promise<void> {
  const begin = window.offset;
  const end = await passBy(window, new SqlScan(dialect, 'statement'));
  if (end === 'found' || (window.isAtEnd && end === 'more')) return;
  await recover(window, begin);
}

/** The statement at the window's beginning, behind which the window is moved; null for a long or broken one. */
export async function takeStatement(
  window: FileWindow,
  dialect: SqlDialect,
): Promise<Buffer | null> {
  const begin = window.offset;
  const scan = new SqlScan(dialect, 'statement');
  let at = 0;
  while (at <= MAX_STATEMENT) {
    const step = scan.feed(window.bytes, at, window.isAtEnd);
    ({ at } = step);
    if (step.end === 'unclosed') break;
    if (step.end === 'more') {
      await window.extend();
      continue;
    }
    const bytes = window.bytes.subarray(0, at);
    window.skip(at);
    return bytes;
  }
  window.moveTo(begin);
  await passStatement(window, dialect);
  return null;
}

/** The row at the window's beginning, behind which the window is moved. */
export async function takeRow(window: FileWindow, dialect: SqlDialect): Promise<RawRow> {
  const begin = window.offset;
  const scan = new SqlScan(dialect, 'row');
  let at = 0;
  for (;;) {
    const step = scan.feed(window.bytes, at, window.isAtEnd);
    ({ at } = step);
    if (step.end === 'found') {
      const bytes = window.bytes.subarray(0, at);
      window.skip(at);
      return { bytes, problem: null };
    }
    if (step.end === 'unclosed') return brokenRow(window, begin);
    if (at > MAX_ROW_BYTES) break;
    await window.extend();
  }
  window.skip(at);
  if ((await passBy(window, scan)) !== 'found') return brokenRow(window, begin);
  return { bytes: null, problem: 'longer than 1 MiB' };
}

/** The line at the window's beginning, behind which the window is moved; null at the end of COPY. */
export async function takeLine(window: FileWindow): Promise<RawRow | null> {
  let end = window.bytes.indexOf(10);
  let isLong = false;
  while (end === -1 && !window.isAtEnd) {
    if (window.bytes.length > MAX_ROW_BYTES) {
      isLong = true;
      window.skip(window.bytes.length);
    }
    const from = window.bytes.length;
    await window.extend();
    end = window.bytes.indexOf(10, from);
  }
  const length = end === -1 ? window.bytes.length : end;
  const isCut = window.bytes[length - 1] === 13;
  const line = window.bytes.subarray(0, isCut ? length - 1 : length);
  window.skip(end === -1 ? length : end + 1);
  if (isLong) return { bytes: null, problem: 'longer than 1 MiB' };
  if (line.equals(Buffer.from('\\.')) || (end === -1 && length === 0)) return null;
  return { bytes: line, problem: null };
}

/** Problem of a row behind which the next statement begins. */
export const UNREADABLE_SQL = 'SQL that cannot be read';

async function brokenRow(window: FileWindow, begin: number): Promise<RawRow> {
  await recover(window, begin);
  return { bytes: null, problem: UNREADABLE_SQL };
}

/** Follows a scan without keeping what it has passed. */
async function passBy(window: FileWindow, scan: SqlScan): Promise<'found' | 'unclosed' | 'more'> {
  for (;;) {
    const { end, at } = scan.feed(window.bytes, 0, window.isAtEnd);
    window.skip(at);
    if (end !== 'more') return end;
    await window.extend();
  }
}

/** Goes on behind the first `;` at a line's end after a place that was passed already. */
async function recover(window: FileWindow, begin: number): Promise<void> {
  window.reread += window.offset - begin + window.bytes.length;
  window.moveTo(begin);
  for (;;) {
    const at = /;[ \t]*\r?\n/.exec(window.bytes.toString('latin1'));
    if (at !== null) {
      window.skip(at.index + at[0].length);
      return;
    }
    if (window.isAtEnd) {
      window.skip(window.bytes.length);
      return;
    }
    if (window.bytes.length > MAX_ROW_BYTES) window.skip(window.bytes.length - 4);
    await window.extend();
  }
}

export const isRow = (window: FileWindow): boolean => window.bytes[0] === SQL_BYTES.OPEN;
export const isBetweenRows = (window: FileWindow): boolean => window.bytes[0] === SQL_BYTES.COMMA;
export const isEndOfStatement = (window: FileWindow): boolean =>
  window.bytes[0] === SQL_BYTES.SEMICOLON;

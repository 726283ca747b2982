import { SQL_BYTES, type SqlDialect, SqlScan, skipSpace } from './sql-text';
import { MAX_ROW_BYTES, type FileWindow } from '../../reading/file-window';

const MAX_STATEMENT = 256 * 1024;
/** Maximum length of an INSERT statement up to the word VALUES. */
const MAX_INSERT_HEADER = 64 * 1024;
const SHORT_HEADER = 2048;
const IDENTIFIER = '(?:`[^`]+`|"[^"]+"|\\[[^\\]]+\\]|[\\w$]+)';
const TABLE = `${IDENTIFIER}(?:\\s*\\.\\s*${IDENTIFIER}){0,2}`;
const INSERT = new RegExp(
  `^(?:INSERT|REPLACE)(?:\\s+(?:LOW_PRIORITY|DELAYED|HIGH_PRIORITY|IGNORE|OR\\s+\\w+))*\\s+INTO\\s+(${TABLE})\\s*(?:\\(([^()]*)\\)\\s*)?VALUES?\\s*(?=\\()`,
  'i',
);

const CREATE =
  /^CREATE\s+(?:(?:TEMPORARY|UNLOGGED)\s+)?TABLE\s+(?:IF\s+NOT\s+EXISTS\s+)?([^\s(]+)\s*\(/i;
const NO_COLUMN =
  /^(?:primary|key|unique|constraint|index|fulltext|spatial|foreign|check|exclude|period|like)\b/i;

export interface InsertHeader {
  readonly table: string;
  /** Null if the statement has no column list. */
  readonly columns: readonly string[] | null;
  readonly length: number;
}

export interface RawRow {
  /** The row with its parentheses, or the COPY line; null if the row is unreadable. */
  readonly bytes: Buffer | null;
  readonly problem: string | null;
}

/** Returns the INSERT header at the start of the window, or null if there is none. */
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
    // The statement has ended without rows, so it does not have to be read again.
    if (text.includes(';')) return null;
  }
  return null;
}

export function tableName(name: string): string {
  return identifier(name.split('.').at(-1) ?? name);
}

export function identifier(text: string): string {
  return text
    .trim()
    .replaceAll(/^[`"[]|[`"\]]$/g, '')
    .toLowerCase();
}

/** Reads until the window has `count` bytes or the file ends. */
export async function atLeast(window: FileWindow, count: number): Promise<void> {
  while (window.bytes.length < count && !window.isAtEnd) await window.extend();
}

/** Skips spaces and comments; returns false at the end of the file. */
export async function passSpace(window: FileWindow, dialect: SqlDialect): Promise<boolean> {
  for (;;) {
    const at = skipSpace(window.bytes, 0, window.isAtEnd, dialect);
    if (at >= 0) {
      window.skip(at);
      return window.bytes.length > 0;
    }
    // Skips a comment, or a run of spaces, that is longer than the window.
    if (window.bytes.length > MAX_ROW_BYTES) window.skip(window.bytes.length - 2);
    await window.extend();
  }
}

/** Skips to the end of the statement; if it is malformed, to the next `;` at a line end. */
export async function passStatement(window: FileWindow, dialect: SqlDialect): Promise<void> {
  const begin = window.offset;
  const end = await passBy(window, new SqlScan(dialect, 'statement'));
  if (end === 'found' || (window.isAtEnd && end === 'more')) return;
  await recover(window, begin);
}

/** Takes the statement at the start of the window; null if it is too long or malformed. */
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

/** Takes the line at the start of the window; null at the end of the COPY rows. */
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

/** An unreadable row's problem; reading continues with the next statement. */
export const UNREADABLE_SQL = 'SQL that cannot be read';

async function brokenRow(window: FileWindow, begin: number): Promise<RawRow> {
  await recover(window, begin);
  return { bytes: null, problem: UNREADABLE_SQL };
}

async function passBy(window: FileWindow, scan: SqlScan): Promise<'found' | 'unclosed' | 'more'> {
  for (;;) {
    const { end, at } = scan.feed(window.bytes, 0, window.isAtEnd);
    window.skip(at);
    if (end !== 'more') return end;
    await window.extend();
  }
}

/** Continues after the next `;` at a line end that was not scanned before. */
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

/** Skips the next row in an INSERT; returns false after the last row. */
export async function nextRow(window: FileWindow, dialect: SqlDialect): Promise<boolean> {
  if (!(await passSpace(window, dialect))) return false;
  if (isRow(window)) {
    const { problem } = await takeRow(window, dialect);
    // An unreadable row ends the statement.
    return problem !== UNREADABLE_SQL;
  }
  if (isBetweenRows(window)) {
    window.skip(1);
    return true;
  }
  if (isEndOfStatement(window)) window.skip(1);
  else await passStatement(window, dialect);
  return false;
}

/** Parses the table and columns from a CREATE statement; null for any other statement. */
export function createdTable(text: string): { table: string; columns: string[] } | null {
  const head = CREATE.exec(text);
  if (head === null) return null;
  const columns: string[] = [];
  let depth = 0;
  let item = '';
  for (const character of text.slice(head[0].length)) {
    if (character === '(') depth++;
    if (character === ')') depth--;
    if (depth < 0 || (depth === 0 && character === ',')) {
      const line = item.trim();
      if (line !== '' && !NO_COLUMN.test(line)) columns.push(firstName(line));
      item = '';
      if (depth < 0) return { table: tableName(head[1] ?? ''), columns };
    } else item += character;
  }
  return null;
}

function firstName(definition: string): string {
  return identifier(/^(?:`[^`]+`|"[^"]+"|\[[^\]]+\]|\S+)/.exec(definition)?.[0] ?? '');
}

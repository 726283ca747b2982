/** In `mysql`, a backslash in single or double quotes starts an escape sequence. */
export type SqlDialect = 'mysql' | 'standard';

const [TAB, LF, CR, SPACE] = [9, 10, 13, 32];
const [DOUBLE, HASH, SINGLE, OPEN, CLOSE] = [34, 35, 39, 40, 41];
const [STAR, MINUS, SLASH, SEMICOLON, BACKSLASH, BACKTICK] = [42, 45, 47, 59, 92, 96];

/** A longer quoted text is treated as an unclosed quote. */
export const MAX_QUOTED = 1024 * 1024;

export type ScanEnd = 'found' | 'more' | 'unclosed';

/** Finds where a row or statement ends, across chunks; keeps state but no text. */
export class SqlScan {
  private quote = 0;
  private quotedFor = 0;
  private comment: 'none' | 'line' | 'block' = 'none';
  private depth = 0;
  /** Whether the open string has backslash escapes although the dialect has none (`E'…'`). */
  private hasEscapes = false;
  private before = SPACE;

  constructor(
    private readonly dialect: SqlDialect,
    private readonly until: 'row' | 'statement',
  ) {}

  /** Returns the offset after the row or `;`, or the offset at which the next chunk starts. */
  feed(bytes: Buffer, from: number, isLast: boolean): { end: ScanEnd; at: number } {
    let at = from;
    // Reads byte pairs, to recognise `--`, `/*`, `''` and `\'`.
    const stop = isLast ? bytes.length : bytes.length - 1;
    while (at < stop) {
      const byte = bytes[at] as number;
      if (this.quote !== 0) {
        const width = this.inQuote(byte, bytes[at + 1]);
        at += width;
        this.quotedFor += width;
        if (this.quotedFor > MAX_QUOTED) return { end: 'unclosed', at };
      } else if (this.comment !== 'none') {
        at += this.inComment(byte, bytes[at + 1]);
      } else {
        const width = this.plain(byte, bytes[at + 1]);
        this.before = byte;
        at += width;
        if (this.until === 'statement' && byte === SEMICOLON) return { end: 'found', at };
        if (this.until === 'row' && byte === CLOSE && this.depth === 0) return { end: 'found', at };
      }
    }
    if (isLast) return { end: 'unclosed', at };
    return { end: 'more', at };
  }

  private inQuote(byte: number, next: number | undefined): number {
    const isEscape = byte === BACKSLASH && this.quote !== BACKTICK && this.hasEscapes;
    if (isEscape) return 2;
    if (byte !== this.quote) return 1;
    if (next === this.quote) return 2;
    this.quote = 0;
    return 1;
  }

  private inComment(byte: number, next: number | undefined): number {
    if (this.comment === 'line') {
      if (byte === LF) this.comment = 'none';
      return 1;
    }
    if (byte !== STAR || next !== SLASH) return 1;
    this.comment = 'none';
    return 2;
  }

  private plain(byte: number, next: number | undefined): number {
    if (byte === SINGLE || byte === DOUBLE || byte === BACKTICK) {
      this.quote = byte;
      this.quotedFor = 0;
      const isExtended = byte === SINGLE && (this.before | 32) === 101;
      this.hasEscapes = this.dialect === 'mysql' || isExtended;
      return 1;
    }
    if (byte === OPEN) this.depth++;
    else if (byte === CLOSE) this.depth--;
    else if (byte === MINUS && next === MINUS) this.comment = 'line';
    else if (byte === HASH && this.dialect === 'mysql') this.comment = 'line';
    else if (byte === SLASH && next === STAR) {
      this.comment = 'block';
      return 2;
    }
    return 1;
  }
}

/** Index of the first byte outside spaces and comments; -1 if more bytes are needed. */
export function skipSpace(
  bytes: Buffer,
  from: number,
  isLast: boolean,
  dialect: SqlDialect,
): number {
  let at = from;
  for (;;) {
    const byte = bytes[at];
    if (byte === undefined) return isLast ? bytes.length : -1;
    if (byte === SPACE || byte === TAB || byte === LF || byte === CR) {
      at++;
      continue;
    }
    const next = bytes[at + 1];
    if (next === undefined && !isLast) return -1;
    const isLine = (byte === MINUS && next === MINUS) || (byte === HASH && dialect === 'mysql');
    const isBlock = byte === SLASH && next === STAR;
    if (!isLine && !isBlock) return at;
    const end = bytes.indexOf(isLine ? '\n' : '*/', at + 2);
    if (end === -1) return isLast ? bytes.length : -1;
    at = end + (isLine ? 1 : 2);
  }
}

export function detectDialect(start: Buffer): SqlDialect {
  const text = start.toString('latin1');
  return /`|MySQL|MariaDB|phpMyAdmin/.test(text) ? 'mysql' : 'standard';
}

export const SQL_BYTES = { OPEN, SEMICOLON, COMMA: 44 } as const;

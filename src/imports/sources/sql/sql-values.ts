import { isUtf8 } from 'node:buffer';
import { SqlRowError } from '../../reading/source.errors';
import type { SqlDialect } from './sql-text';
import { MAX_FIELD_BYTES, fromWindows1252 } from '../../reading/file-window';

/** Null represents SQL NULL. */
export type SqlValue = string | null;

export interface SqlRow {
  readonly values: readonly SqlValue[];
  readonly isGuessed: boolean;
}

type Quoting = 'mysql' | 'extended' | 'standard';

const MYSQL_ESCAPES: Readonly<Record<string, string>> = {
  '0': '\0',
  b: '\b',
  n: '\n',
  r: '\r',
  t: '\t',
  Z: '\u001a',
};
const POSTGRES_ESCAPES: Readonly<Record<string, string>> = {
  b: '\b',
  f: '\f',
  n: '\n',
  r: '\r',
  t: '\t',
  v: '\v',
};

/** Maximum depth of nested calls; sqlite3 writes up to two levels. */
const MAX_CALLS = 3;
/** Maximum search text length in `replace()`; sqlite3 writes about ten characters. */
const MAX_SOUGHT = 64;
const TOO_LONG = 'a field is longer than 64 KiB';

export function readValues(bytes: Buffer, dialect: SqlDialect): SqlRow {
  const { text, isGuessed } = decodeText(bytes);
  return { values: new ValueReader(text, dialect).row(), isGuessed };
}

export function copiedValues(line: Buffer): SqlRow {
  const { text, isGuessed } = decodeText(line);
  const values = text.split('\t').map((value) => (value === '\\N' ? null : unescapedCopy(value)));
  return { values, isGuessed };
}

export function copyLine(values: readonly SqlValue[]): string {
  return `${values.map((value) => (value === null ? '\\N' : escapedCopy(value))).join('\t')}\n`;
}

function decodeText(bytes: Buffer): { text: string; isGuessed: boolean } {
  const isGuessed = !isUtf8(bytes);
  return { text: isGuessed ? fromWindows1252(bytes) : bytes.toString(), isGuessed };
}

const SQL_ESCAPE = String.raw`\\(?:x([0-9a-f]{1,2})|u([0-9a-f]{4})|([0-7]{1,3})|([^]))`;
const IN_COPY = new RegExp(SQL_ESCAPE, 'gi');
const IN_QUOTES = new RegExp(`''|${SQL_ESCAPE}`, 'gi');

const COPY_ESCAPES: Readonly<Record<string, string>> = {
  '\\': '\\\\',
  '\n': '\\n',
  '\r': '\\r',
  '\t': '\\t',
};

function escapedCopy(value: string): string {
  return value.replaceAll(/[\\\n\r\t]/g, (character) => COPY_ESCAPES[character] ?? character);
}

function unescapedCopy(value: string): string {
  return value.includes('\\') ? value.replaceAll(IN_COPY, postgresEscape) : value;
}

function unescaped(inner: string, quoting: Quoting): string {
  if (!/['\\]/.test(inner)) return inner;
  if (quoting === 'standard') return inner.replaceAll("''", "'");
  if (quoting === 'extended') return inner.replaceAll(IN_QUOTES, postgresEscape);
  return inner.replaceAll(/''|\\([^])/g, (_all, character?: string) =>
    character === undefined ? "'" : (MYSQL_ESCAPES[character] ?? character),
  );
}

function postgresEscape(
  all: string,
  hex?: string,
  unicode?: string,
  octal?: string,
  character?: string,
): string {
  if (all === "''") return "'";
  if (character !== undefined) return POSTGRES_ESCAPES[character] ?? character;
  return String.fromCharCode(
    octal === undefined ? parseInt(hex ?? unicode ?? '0', 16) : parseInt(octal, 8),
  );
}

/** Evaluates `replace()` after checking the result's length. */
function replaced(text: string, sought: string, by: string): string {
  if (sought === '') return text;
  if (sought.length > MAX_SOUGHT) throw new SqlRowError('replace() of a long text');
  let length = text.length;
  for (let at = text.indexOf(sought); at !== -1; at = text.indexOf(sought, at + sought.length)) {
    length += by.length - sought.length;
  }
  if (length > MAX_FIELD_BYTES) throw new SqlRowError(TOO_LONG);
  return text.replaceAll(sought, () => by);
}

/** Returns the replacement character for an invalid code point, as SQLite does. */
function characterAt(text: string): string {
  const code = Number(text);
  const isCharacter = Number.isInteger(code) && code >= 0 && code <= 0x10ffff;
  return String.fromCodePoint(isCharacter ? code : 0xfffd);
}

class ValueReader {
  private at = 0;
  private calls = 0;

  constructor(
    private readonly text: string,
    private readonly dialect: SqlDialect,
  ) {}

  row(): SqlValue[] {
    this.expectMark('(');
    const values: SqlValue[] = [];
    for (;;) {
      values.push(this.value());
      if (this.passMark(',')) continue;
      this.expectMark(')');
      return values;
    }
  }

  private value(): SqlValue {
    this.passSpace();
    const value = this.literal();
    // PostgreSQL type casts.
    for (;;) {
      this.passSpace();
      if (!this.text.startsWith('::', this.at)) return value;
      this.at += 2;
      if (!this.matched(/[\w." ]+(?:\(\d+(?:,\d+)?\))?(?:\[\])?/y))
        throw new SqlRowError('a cast without a type');
    }
  }

  private literal(): SqlValue {
    const start = this.text[this.at];
    if (start === "'") return this.quoted(this.dialect);
    const hex = this.matched(/x'([0-9a-f]*)'/iy) ?? this.matched(/0x([0-9a-f]+)/iy);
    if (hex) return Buffer.from(hex[1] ?? '', 'hex').toString();
    if (this.matched(/e(?=')/iy)) return this.quoted('extended');
    // MySQL character set introducer.
    if (this.matched(/(?:_[a-z]\w*|n)\s*(?=')/iy)) return this.quoted('mysql');
    const number = this.matched(/[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?/iy);
    if (number) return number[0];
    const word = this.matched(/[a-z_]\w*/iy)?.[0].toLowerCase();
    if (word === 'null' || word === 'default') return null;
    if (word === 'true' || word === 'false') return word;
    if (word === 'replace' || word === 'unistr' || word === 'char') return this.call(word);
    throw new SqlRowError(
      `a value that is not a literal: ${this.text.slice(this.at, this.at + 20)}`,
    );
  }

  /** SQLite writes strings with line breaks as calls. */
  private call(name: 'replace' | 'unistr' | 'char'): string {
    if (++this.calls > MAX_CALLS) throw new SqlRowError('nested calls');
    this.expectMark('(');
    const given: string[] = [];
    do given.push(this.value() ?? '');
    while (this.passMark(','));
    this.expectMark(')');
    this.calls--;
    const [first = '', second = '', third = ''] = given;
    if (given.length > MAX_FIELD_BYTES || given.some((text) => text.length > MAX_FIELD_BYTES))
      throw new SqlRowError(TOO_LONG);
    if (name === 'replace') return replaced(first, second, third);
    if (name === 'char') return given.map(characterAt).join('');
    return first.replaceAll(
      /\\(?:u([0-9a-fA-F]{4})|\+([0-9a-fA-F]{6})|(\\))/g,
      (_all, short?: string, long?: string, slash?: string) =>
        slash ?? String.fromCodePoint(Math.min(parseInt(short ?? long ?? '0', 16), 0x10ffff)),
    );
  }

  private quoted(quoting: Quoting): string {
    let text = '';
    // Adjacent string literals are concatenated.
    do {
      const start = this.at + 1;
      let end = start;
      for (; ; end++) {
        const character = this.text[end];
        if (character === undefined) throw new SqlRowError('a quote is not closed');
        if (character === '\\' && quoting !== 'standard') end++;
        else if (character === "'" && this.text[end + 1] === "'") end++;
        else if (character === "'") break;
      }
      text += unescaped(this.text.slice(start, end), quoting);
      this.at = end + 1;
    } while (this.text[this.at] === "'");
    return text;
  }

  private passSpace(): void {
    this.matched(/\s+/y);
  }

  private passMark(mark: string): boolean {
    this.passSpace();
    if (this.text[this.at] !== mark) return false;
    this.at++;
    return true;
  }

  private expectMark(mark: string): void {
    if (!this.passMark(mark))
      throw new SqlRowError(`${mark} is missing before ${this.text.slice(this.at, this.at + 20)}`);
  }

  private matched(pattern: RegExp): RegExpExecArray | null {
    pattern.lastIndex = this.at;
    const found = pattern.exec(this.text);
    if (found !== null) this.at = pattern.lastIndex;
    return found;
  }
}

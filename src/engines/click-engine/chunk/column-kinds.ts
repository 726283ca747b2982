import { ByteReader, ByteWriter, planeWidth } from './bytes';
import { CorruptChunkError } from './engine.errors';
import type { StoredColumn, ValueColumn } from './chunk-columns';
import { constantPerVisitor } from './visitor-order';

/** Row counts are stored only if any exceeds 1. Throws CorruptChunkError unless they sum to `n`. */
export function readVisitorRows(input: ByteReader, n: number, distinct: number): Uint32Array {
  const rows = new Uint32Array(distinct + 1);
  const several = distinct > 1 && distinct < n;
  const more = several ? readNumbers(input, new Uint32Array(distinct)) : null;
  if (more !== null) addUpMore(more, rows);
  else if (distinct === 1) rows[1] = n;
  else countUp(rows);
  if (rows[distinct] !== n)
    throw new CorruptChunkError('the numbers of visitors and clicks do not match');
  return rows;
}

function addUpMore(more: Uint32Array, rows: Uint32Array): void {
  for (let v = 0; v < more.length; v += 1) rows[v + 1] = (rows[v] ?? 0) + 1 + (more[v] ?? 0);
}

function countUp(rows: Uint32Array): void {
  for (let v = 0; v < rows.length; v += 1) rows[v] = v;
}

/**
 * A kind defines a column's byte layout, so that releases can reorder the rows of columns
 * they do not know. Kinds never change. A missing column contains 0 or no value in every row.
 *
 * NUMBERS: the minimum, then each number's fixed-width difference from it, in byte planes.
 * FLAGS: one bit per row, or a single byte if all rows are equal.
 * VALUES: a dictionary of strings, then an index per row, or per visitor if one is enough.
 * PAIRS: like VALUES with two strings per entry; all first strings precede all second strings.
 * CONSTANT: a single string for every row.
 */
export const COLUMN_KINDS = { NUMBERS: 0, FLAGS: 1, VALUES: 2, PAIRS: 3, CONSTANT: 4 } as const;

const NO_FLAGS = 0;
const ALL = 1;
const MIXED = 2;

export function writeFlags(out: ByteWriter, flags: Uint8Array): void {
  const set = flags.reduce((sum, bit) => sum + bit, 0);
  if (set === 0 || set === flags.length) {
    out.byte(set === 0 ? NO_FLAGS : ALL);
    return;
  }
  out.byte(MIXED);
  const bits = new Uint8Array(Math.ceil(flags.length / 8));
  flags.forEach((bit, row) => {
    bits[row >> 3] = (bits[row >> 3] ?? 0) | (bit << (row & 7));
  });
  out.raw(bits);
}

export function readFlags(input: ByteReader, n: number): Uint8Array {
  const mode = input.byte();
  if (mode > MIXED) throw new CorruptChunkError('the flags are unreadable');
  const flags = new Uint8Array(n).fill(mode === ALL ? 1 : 0);
  if (mode !== MIXED) return flags;
  const bits = input.raw(Math.ceil(n / 8));
  for (let row = 0; row < n; row += 1) flags[row] = ((bits[row >> 3] ?? 0) >> (row & 7)) & 1;
  return flags;
}

type Numbers = Uint32Array | Float64Array;

export function writeNumbers(out: ByteWriter, values: Numbers): void {
  let [least, most] = [Number.POSITIVE_INFINITY, 0];
  for (const value of values) {
    if (value < least) least = value;
    if (value > most) most = value;
  }
  const width = planeWidth(most - least);
  out.varint(least);
  out.byte(width);
  out.planes(
    values.map((value) => value - least),
    width,
  );
}

function readNumbers<T extends Numbers>(input: ByteReader, into: T): T {
  into.fill(input.varint());
  return input.planes(into, input.byte());
}

/** Stores one index per visitor if no visitor has several values (as with most browsers). */
export function writeValues(
  out: ByteWriter,
  { values, ids }: ValueColumn,
  rows: Uint32Array,
  seconds: readonly (string | null)[] = [],
): void {
  const visitors = rows.length - 1;
  const perVisitor = visitors < ids.length && constantPerVisitor(ids, rows);
  out.varint(values.length * 2 + Number(perVisitor));
  for (const value of values) out.text(value);
  for (const value of seconds) out.text(value);
  const stored = perVisitor
    ? Uint32Array.from({ length: visitors }, (_, v) => ids[rows[v] ?? 0] ?? 0)
    : ids;
  out.planes(stored, planeWidth(values.length - 1));
}

export function readValues(input: ByteReader, rows: Uint32Array, paired = false): PairColumn {
  const head = input.varint();
  const size = Math.floor(head / 2);
  if (size === 0 || size > input.left) throw new CorruptChunkError('a dictionary is invalid');
  const values = Array.from({ length: size }, () => input.text());
  const seconds = paired ? values.map(() => input.text()) : [];
  const perVisitor = head % 2 === 1;
  const visitors = rows.length - 1;
  const n = rows[visitors] ?? 0;
  const stored = input.planes(new Uint32Array(perVisitor ? visitors : n), planeWidth(size - 1));
  for (const id of stored)
    if (id >= size) throw new CorruptChunkError('a value is not in its dictionary');
  if (!perVisitor) return { values, ids: stored, seconds };
  const ids = new Uint32Array(n);
  for (let v = 0; v < visitors; v += 1) ids.fill(stored[v] ?? 0, rows[v], rows[v + 1]);
  return { values, ids, seconds };
}

export interface PairColumn extends ValueColumn {
  seconds: (string | null)[];
}

export function noValues(n: number): PairColumn {
  return { values: [null], ids: new Uint32Array(n), seconds: [null] };
}

export function storeNumbers(id: number, numbers: Numbers): StoredColumn | null {
  if (numbers.every((number) => number === 0)) return null;
  const out = new ByteWriter();
  writeNumbers(out, numbers);
  return { id, kind: COLUMN_KINDS.NUMBERS, payload: out.done() };
}

export function storeFlags(id: number, flags: Uint8Array): StoredColumn | null {
  if (!flags.includes(1)) return null;
  const out = new ByteWriter();
  writeFlags(out, flags);
  return { id, kind: COLUMN_KINDS.FLAGS, payload: out.done() };
}

export function storeValues(
  id: number,
  column: ValueColumn,
  rows: Uint32Array,
  seconds: readonly (string | null)[] | null = null,
): StoredColumn | null {
  const [first = null] = column.values;
  if (column.values.length === 1 && (seconds?.[0] ?? null) === null) {
    if (first === null) return null;
    if (seconds === null) return { id, kind: COLUMN_KINDS.CONSTANT, payload: Buffer.from(first) };
  }
  const out = new ByteWriter();
  writeValues(out, column, rows, seconds ?? []);
  return {
    id,
    kind: seconds === null ? COLUMN_KINDS.VALUES : COLUMN_KINDS.PAIRS,
    payload: out.done(),
  };
}

export function readStoredValues(
  kind: number,
  payload: Uint8Array,
  rows: Uint32Array,
): ValueColumn {
  if (kind === COLUMN_KINDS.CONSTANT) {
    return { values: [Buffer.from(payload).toString()], ids: new Uint32Array(rowsIn(rows)) };
  }
  expectKind(kind, COLUMN_KINDS.VALUES);
  return wholly(payload, (input) => readValues(input, rows));
}

export function readStoredPairs(kind: number, payload: Uint8Array, rows: Uint32Array): PairColumn {
  expectKind(kind, COLUMN_KINDS.PAIRS);
  return wholly(payload, (input) => readValues(input, rows, true));
}

export function readStoredNumbers<T extends Numbers>(
  kind: number,
  payload: Uint8Array,
  into: T,
): T {
  expectKind(kind, COLUMN_KINDS.NUMBERS);
  return wholly(payload, (input) => readNumbers(input, into));
}

export function readStoredFlags(kind: number, payload: Uint8Array, n: number): Uint8Array {
  expectKind(kind, COLUMN_KINDS.FLAGS);
  return wholly(payload, (input) => readFlags(input, n));
}

function expectKind(kind: number, expected: number): void {
  if (kind !== expected) throw new CorruptChunkError(`a column has the unexpected kind ${kind}`);
}

/** Throws if `read` does not consume all bytes. */
function wholly<T>(bytes: Uint8Array, read: (input: ByteReader) => T): T {
  const input = new ByteReader(bytes);
  const value = read(input);
  if (input.left > 0) throw new CorruptChunkError('a column is longer than its values');
  return value;
}

export function rowsIn(rows: Uint32Array): number {
  return rows[rows.length - 1] ?? 0;
}

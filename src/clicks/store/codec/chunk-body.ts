import type { ByteReader } from './byte-reader';
import { ByteWriter, widthOf } from './byte-writer';
import {
  CHUNK_DIMENSIONS,
  type ChunkColumns,
  type ChunkDimension,
  CorruptChunkError,
  type ValueColumn,
  VISITOR_BYTES,
} from './chunk-columns';

const NONE = 0;
const ALL = 1;
const MIXED = 2;

/** One byte where all rows agree, which is the rule; else one bit a row. */
export function writeSlots(out: ByteWriter, slot: Uint8Array): void {
  const taken = slot.reduce((sum, bit) => sum + bit, 0);
  if (taken === 0 || taken === slot.length) {
    out.byte(taken === 0 ? NONE : ALL);
    return;
  }
  out.byte(MIXED);
  const bits = new Uint8Array(Math.ceil(slot.length / 8));
  slot.forEach((bit, row) => {
    bits[row >> 3] = (bits[row >> 3] ?? 0) | (bit << (row & 7));
  });
  out.raw(bits);
}

/** Reads what {@link writeSlots} wrote. */
export function readSlots(input: ByteReader, n: number): Uint8Array {
  const mode = input.byte();
  if (mode > MIXED) throw new CorruptChunkError('the slots are unreadable');
  const slot = new Uint8Array(n).fill(mode === ALL ? 1 : 0);
  if (mode !== MIXED) return slot;
  const bits = input.raw(Math.ceil(n / 8));
  for (let row = 0; row < n; row += 1) slot[row] = ((bits[row >> 3] ?? 0) >> (row & 7)) & 1;
  return slot;
}

/**
 * Writes a dictionary and the ids. Browser, system and place follow from the visitor, so a column
 * that never changes within a visitor stores one id per visitor instead of one per row.
 */
export function writeValues(out: ByteWriter, column: ValueColumn, rows: Uint32Array): void {
  const perVisitor = rows.length - 1 < column.ids.length && followsVisitor(column.ids, rows);
  out.varint(column.values.length * 2 + Number(perVisitor));
  for (const value of column.values) out.text(value);
  const ids = perVisitor
    ? Uint32Array.from({ length: rows.length - 1 }, (_, v) => column.ids[rows[v] ?? 0] ?? 0)
    : column.ids;
  out.planes(ids, widthOf(column.values.length - 1));
}

/** Reads one column of `rows` (first row of each visitor, and the end). */
export function readValues(input: ByteReader, rows: Uint32Array): ValueColumn {
  const head = input.varint();
  const size = Math.floor(head / 2);
  if (size === 0 || size > input.left) throw new CorruptChunkError('a dictionary is impossible');
  const values = Array.from({ length: size }, () => input.text());
  const perVisitor = head % 2 === 1;
  const visitors = rows.length - 1;
  const n = rows[visitors] ?? 0;
  const stored = input.planes(new Uint32Array(perVisitor ? visitors : n), widthOf(size - 1));
  for (const id of stored) if (id >= size) throw new CorruptChunkError('a value is unknown');
  if (!perVisitor) return { values, ids: stored };
  const ids = new Uint32Array(n);
  for (let v = 0; v < visitors; v += 1) ids.fill(stored[v] ?? 0, rows[v], rows[v + 1]);
  return { values, ids };
}

function followsVisitor(ids: Uint32Array, rows: Uint32Array): boolean {
  for (let v = 0; v + 1 < rows.length; v += 1) {
    const end = rows[v + 1] ?? 0;
    for (let row = (rows[v] ?? 0) + 1; row < end; row += 1) {
      if (ids[row] !== ids[row - 1]) return false;
    }
  }
  return true;
}

/** Everything of a chunk but its visitors: the part that compresses. */
export function writeBody(chunk: ChunkColumns): Buffer {
  const out = new ByteWriter();
  const { n, from, to, visitorRows } = chunk;
  const visitors = visitorRows.length - 1;
  out.varint(from);
  out.varint(to - from);
  out.planes(
    chunk.at.map((at) => at - from),
    widthOf(to - from),
  );
  if (visitors > 1 && visitors < n) {
    const more = Uint32Array.from({ length: visitors }, (_, v) => rowsOf(visitorRows, v) - 1);
    writeNumbers(out, more);
  }
  writeNumbers(out, chunk.redirectMs);
  writeSlots(out, chunk.slot);
  for (const name of CHUNK_DIMENSIONS) writeValues(out, chunk.columns[name], visitorRows);
  for (const code of chunk.countryCodes) out.text(code);
  return out.done();
}

/** Reads what {@link writeBody} wrote. */
export function readBody(input: ByteReader, n: number, visitors: Uint8Array): ChunkColumns {
  const from = input.varint();
  const span = input.varint();
  const distinct = visitors.length / VISITOR_BYTES;
  if (distinct === 0 || distinct > n) throw new CorruptChunkError('visitors and clicks disagree');
  // A row takes no byte at all only where rows agree in everything; bound what may be allocated.
  if (n > 2 ** 24) throw new CorruptChunkError('a count is too large');
  if (!ascend(visitors)) throw new CorruptChunkError('its visitors are in disorder');
  const at = input.planes(new Float64Array(n).fill(from), widthOf(span));
  const visitorRows = readVisitorRows(input, n, distinct);
  const redirectMs = readNumbers(input, n);
  const slot = readSlots(input, n);
  const columns = {} as Record<ChunkDimension, ValueColumn>;
  for (const name of CHUNK_DIMENSIONS) columns[name] = readValues(input, visitorRows);
  const countryCodes = columns.country.values.map(() => input.text());
  return {
    n,
    from,
    to: from + span,
    at,
    redirectMs,
    slot,
    visitors,
    visitorRows,
    columns,
    countryCodes,
  };
}

/** True when every visitor is greater than the one before: so they are distinct, too. */
function ascend(visitors: Uint8Array): boolean {
  for (let next = VISITOR_BYTES; next < visitors.length; next += VISITOR_BYTES) {
    let byte = 0;
    while (
      byte < VISITOR_BYTES &&
      visitors[next + byte] === visitors[next + byte - VISITOR_BYTES]
    ) {
      byte += 1;
    }
    if (byte === VISITOR_BYTES) return false;
    const before = visitors[next + byte - VISITOR_BYTES] ?? 0;
    if ((visitors[next + byte] ?? 0) < before) return false;
  }
  return true;
}

function rowsOf(visitorRows: Uint32Array, visitor: number): number {
  return (visitorRows[visitor + 1] ?? 0) - (visitorRows[visitor] ?? 0);
}

function readVisitorRows(input: ByteReader, n: number, distinct: number): Uint32Array {
  const rows = new Uint32Array(distinct + 1);
  const more = distinct > 1 && distinct < n ? readNumbers(input, distinct) : null;
  for (let v = 0; v < distinct; v += 1) rows[v + 1] = (rows[v] ?? 0) + 1 + (more?.[v] ?? 0);
  if (more === null && distinct === 1) rows[1] = n;
  if (rows[distinct] !== n) throw new CorruptChunkError('visitors and clicks disagree');
  return rows;
}

/** Numbers as their least one and the differences to it. */
function writeNumbers(out: ByteWriter, values: Uint32Array): void {
  const least = values.reduce((a, b) => Math.min(a, b));
  const width = widthOf(values.reduce((a, b) => Math.max(a, b)) - least);
  out.varint(least);
  out.byte(width);
  out.planes(
    values.map((value) => value - least),
    width,
  );
}

function readNumbers(input: ByteReader, count: number): Uint32Array {
  const least = input.varint();
  return input.planes(new Uint32Array(count).fill(least), input.byte());
}

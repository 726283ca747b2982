import type { ByteReader } from './byte-reader';
import { type ByteWriter, widthOf } from './byte-writer';
import type { ValueColumn } from './chunk-columns';
import { CorruptChunkError } from './chunk.errors';

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

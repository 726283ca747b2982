import type { ByteReader } from './bytes';
import { CorruptChunkError } from './engine.errors';
import { readNumbers } from './column-kinds';

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

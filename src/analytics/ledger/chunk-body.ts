import type { ByteReader } from './byte-reader';
import { ByteWriter, widthOf } from './byte-writer';
import {
  CHUNK_DIMENSIONS,
  type ChunkColumns,
  type ChunkDimension,
  VISITOR_BYTES,
  type ValueColumn,
} from './chunk-columns';
import { CorruptChunkError } from './chunk.errors';
import { readSlots, writeSlots } from './slot-column';
import { readValues, writeValues } from './value-column';

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

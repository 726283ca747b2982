import { decodeChunk } from '../ledger/chunk';
import type { ChunkColumns } from '../ledger/chunk-columns';

/** What a readable chunk holds, counted click by click. */
export interface ChunkTotals {
  n: number;
  open: number;
  from: number;
  to: number;
  bytes: number;
}

/** What a ledger has to say of its chunks; first and last are null without clicks. */
export interface ClickStoreTotals {
  total: number;
  open: number;
  first: number | null;
  last: number | null;
}

/** Reads a chunk as it is stored; null when it is damaged. */
export function chunkTotalsOf(data: Uint8Array): ChunkTotals | null {
  let chunk: ChunkColumns;
  try {
    chunk = decodeChunk(data);
  } catch {
    return null;
  }
  const taken = chunk.slot.reduce((sum, bit) => sum + bit, 0);
  return {
    n: chunk.n,
    open: chunk.n - taken,
    from: chunk.at.reduce((a, b) => Math.min(a, b)),
    to: chunk.at.reduce((a, b) => Math.max(a, b)),
    bytes: data.length,
  };
}

export function sumOf(chunks: readonly ChunkTotals[]): ClickStoreTotals {
  const empty = chunks.length === 0;
  return {
    total: chunks.reduce((sum, { n }) => sum + n, 0),
    open: chunks.reduce((sum, { open }) => sum + open, 0),
    first: empty ? null : chunks.reduce((least, { from }) => Math.min(least, from), Infinity),
    last: empty ? null : chunks.reduce((most, { to }) => Math.max(most, to), -Infinity),
  };
}

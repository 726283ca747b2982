import type { ByteReader } from './byte-reader';
import type { ByteWriter } from './byte-writer';
import { CorruptChunkError } from './chunk.errors';

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

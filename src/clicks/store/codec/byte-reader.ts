import { CorruptChunkError } from './chunk-columns';

/** Reads what {@link ByteWriter} wrote; anything that does not fit is a {@link CorruptChunkError}. */
export class ByteReader {
  private offset = 0;
  private readonly buffer: Buffer;

  constructor(bytes: Uint8Array) {
    this.buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  }

  byte(): number {
    return this.raw(1)[0] ?? 0;
  }

  varint(): number {
    let value = 0;
    for (let scale = 1; scale <= 2 ** 49; scale *= 0x80) {
      const byte = this.byte();
      value += (byte & 0x7f) * scale;
      if (byte < 0x80) {
        if (!Number.isSafeInteger(value)) break;
        return value;
      }
    }
    throw new CorruptChunkError('a number is too large');
  }

  /** A number of things that take at least `bytesEach` bytes of what is left. */
  count(bytesEach = 0): number {
    const count = this.varint();
    if (count * bytesEach > this.left) throw new CorruptChunkError('a count is too large');
    return count;
  }

  raw(length: number): Buffer {
    if (length > this.left) throw new CorruptChunkError('it ends early');
    this.offset += length;
    return this.buffer.subarray(this.offset - length, this.offset);
  }

  text(): string | null {
    const length = this.varint();
    return length === 0 ? null : this.raw(length - 1).toString('utf8');
  }

  /** Adds plane-coded numbers to `into`, which holds zeros or a common base. */
  planes<T extends Uint32Array | Float64Array>(into: T, width: number): T {
    const limit = into instanceof Uint32Array ? 4 : 7;
    if (width > limit) throw new CorruptChunkError('a column is too wide');
    const count = into.length;
    let scale = 1;
    for (let plane = 0; plane < width; plane += 1) {
      const bytes = this.raw(count);
      for (let i = 0; i < count; i += 1) into[i] = (into[i] ?? 0) + (bytes[i] ?? 0) * scale;
      scale *= 256;
    }
    return into;
  }

  rest(): Buffer {
    return this.raw(this.left);
  }

  get left(): number {
    return this.buffer.length - this.offset;
  }
}

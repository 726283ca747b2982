import { CorruptChunkError } from './engine.errors';
import type { TextTable } from './text-table';

export class ByteWriter {
  private bytes = Buffer.allocUnsafe(256);
  private length = 0;

  byte(value: number): void {
    this.reserve(1);
    this.bytes[this.length++] = value;
  }

  /** Writes an integer from 0 to 2^53 - 1, seven bits per byte, lowest bits first. */
  varint(value: number): void {
    this.reserve(8);
    let rest = value;
    while (rest >= 0x80) {
      this.bytes[this.length++] = (rest % 0x80) | 0x80;
      rest = Math.floor(rest / 0x80);
    }
    this.bytes[this.length++] = rest;
  }

  raw(source: Uint8Array): void {
    this.reserve(source.length);
    this.bytes.set(source, this.length);
    this.length += source.length;
  }

  /** Writes a string with a length prefix: 0 for null, otherwise the byte length plus 1. */
  text(value: string | null): void {
    if (value === null) {
      this.varint(0);
      return;
    }
    const utf8 = Buffer.from(value, 'utf8');
    this.varint(utf8.length + 1);
    this.raw(utf8);
  }

  /** Writes the lowest byte of all numbers, then the next byte, because this compresses better. */
  planes(values: ArrayLike<number>, width: number): void {
    const count = values.length;
    this.reserve(count * width);
    let divisor = 1;
    for (let plane = 0; plane < width; plane += 1) {
      const start = this.length + plane * count;
      for (let i = 0; i < count; i += 1) {
        const value = values[i] ?? 0;
        this.bytes[start + i] = divisor === 1 ? value & 0xff : Math.floor(value / divisor) & 0xff;
      }
      divisor *= 256;
    }
    this.length += count * width;
  }

  done(): Buffer {
    return this.bytes.subarray(0, this.length);
  }

  private reserve(more: number): void {
    if (this.length + more <= this.bytes.length) return;
    const larger = Buffer.allocUnsafe(Math.max(this.bytes.length * 2, this.length + more));
    larger.set(this.bytes.subarray(0, this.length));
    this.bytes = larger;
  }
}

export function planeWidth(largest: number): number {
  let width = 0;
  for (let rest = largest; rest > 0; rest = Math.floor(rest / 256)) width += 1;
  return width;
}

/** Up to this size, copying in a loop is faster than creating a view. */
const MAX_LOOP_BYTES = 64;

/** Reads data from {@link ByteWriter}; throws {@link CorruptChunkError} if it is malformed. */
export class ByteReader {
  private offset = 0;
  private end: number;
  private readonly buffer: Buffer;

  constructor(bytes: Uint8Array) {
    this.buffer = Buffer.isBuffer(bytes)
      ? bytes
      : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    this.end = this.buffer.length;
  }

  part(length: number): ByteReader {
    const part = new ByteReader(this.buffer);
    part.offset = this.offset;
    this.skip(length);
    part.end = this.offset;
    return part;
  }

  skip(length: number): void {
    if (length > this.left) throw new CorruptChunkError('the data ends too early');
    this.offset += length;
  }

  byte(): number {
    if (this.left < 1) throw new CorruptChunkError('the data ends too early');
    this.offset += 1;
    return this.buffer[this.offset - 1] ?? 0;
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

  /** Reads a count; throws if fewer than that many items of `bytesEach` bytes are left. */
  count(bytesEach = 0): number {
    const count = this.varint();
    if (count * bytesEach > this.left) throw new CorruptChunkError('a count is too large');
    return count;
  }

  raw(length: number): Buffer {
    this.skip(length);
    return this.buffer.subarray(this.offset - length, this.offset);
  }

  text(): string | null {
    const length = this.varint();
    if (length === 0) return null;
    if (length - 1 > this.left) throw new CorruptChunkError('the data ends too early');
    // Decodes without a view per string, because a dictionary has thousands of strings.
    this.offset += length - 1;
    return this.buffer.toString('utf8', this.offset - length + 1, this.offset);
  }

  copy(length: number): Uint8Array {
    if (length > MAX_LOOP_BYTES) return new Uint8Array(this.raw(length));
    this.skip(length);
    const bytes = new Uint8Array(length);
    const start = this.offset - length;
    for (let i = 0; i < length; i += 1) bytes[i] = this.buffer[start + i] ?? 0;
    return bytes;
  }

  /** Interns the remaining bytes as a string and returns the string's index in the table. */
  restIn(table: TextTable): number {
    const start = this.offset;
    this.offset = this.end;
    return table.numberFromUtf8(this.buffer, start, this.end);
  }

  textIn(table: TextTable): number {
    const length = this.varint();
    if (length === 0) return 0;
    if (length - 1 > this.left) throw new CorruptChunkError('the data ends too early');
    this.offset += length - 1;
    return table.numberFromUtf8(this.buffer, this.offset - length + 1, this.offset);
  }

  /** Adds numbers stored as byte planes to `into`, which contains zeros or a common base. */
  planes<T extends Uint32Array | Float64Array>(into: T, width: number): T {
    const limit = into instanceof Uint32Array ? 4 : 7;
    if (width > limit) throw new CorruptChunkError('a column is too wide');
    const count = into.length;
    let scale = 1;
    for (let plane = 0; plane < width; plane += 1) {
      addPlane(this.raw(count), scale, into);
      scale *= 256;
    }
    return into;
  }

  rest(): Buffer {
    return this.raw(this.left);
  }

  get left(): number {
    return this.end - this.offset;
  }
}

function addPlane(bytes: Uint8Array, scale: number, into: Uint32Array | Float64Array): void {
  for (let i = 0; i < bytes.length; i += 1) into[i] = (into[i] ?? 0) + (bytes[i] ?? 0) * scale;
}

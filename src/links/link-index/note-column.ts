import { deflateRaw, inflateRawSync } from 'node:zlib';
import type { Utf8Text } from '../../infrastructure/mongo/bson-fields';
import { LINE_FEED } from './searched-texts';

/** Compressing or decompressing a chunk takes 0.5 ms. */
const NOTE_CHUNK_BYTES = 64 * 1024;
/** The default level takes six times as long, for 10 to 20 % less memory. */
const FAST = { level: 1 } as const;
/** Until then, an account's links are usually loaded, and the first list is sent. */
const COMPRESS_AFTER_MS = 1000;

/** Concatenated notes, each terminated by a line feed. */
interface NoteChunk {
  readonly rows: readonly number[] | Uint16Array;
  readonly ends: readonly number[] | Uint32Array;
  readonly text: Buffer;
}

interface PackedChunk {
  readonly lastRow: number;
  readonly count: number;
  /** Numbers and text; compressed soon after the chunk is full. */
  bytes: Buffer;
  isCompressed: boolean;
}

/** Compressed, because notes would take 40 % of the memory. Only searches decompress them. */
export class NoteColumn {
  private readonly chunks: PackedChunk[] = [];
  private openRows: number[] = [];
  private openEnds: number[] = [];
  private openText = Buffer.alloc(0);
  private packedBytes = 0;

  get bytes(): number {
    return this.packedBytes + this.openText.byteLength + 16 * this.openRows.length;
  }

  /** @param row must be higher than all rows that have a note */
  append(row: number, note: Utf8Text): void {
    if (note.end === 0) return;
    const end = this.openEnds.at(-1) ?? 0;
    const next = end + note.end + 1;
    if (next > this.openText.length) {
      const wide = Buffer.allocUnsafeSlow(2 * next);
      this.openText.copy(wide);
      this.openText = wide;
    }
    note.bytes.copy(this.openText, end, 0, note.end);
    this.openText[next - 1] = LINE_FEED;
    this.openRows.push(row);
    this.openEnds.push(next);
    if (next >= NOTE_CHUNK_BYTES) this.pack();
  }

  /** Closes the open chunk, which another thread then compresses. Call after the last note. */
  pack(): void {
    const count = this.openRows.length;
    const lastRow = this.openRows.at(-1);
    if (lastRow === undefined) return;
    const ends = Buffer.from(Uint32Array.from(this.openEnds).buffer);
    const rows = Buffer.from(Uint16Array.from(this.openRows).buffer);
    const bytes = Buffer.concat([ends, rows, this.openText.subarray(0, this.openEnds.at(-1))]);
    const chunk: PackedChunk = { lastRow, count, bytes, isCompressed: false };
    this.chunks.push(chunk);
    this.packedBytes += bytes.byteLength;
    setTimeout(() => this.compress(chunk), COMPRESS_AFTER_MS).unref();
    [this.openRows, this.openEnds, this.openText] = [[], [], Buffer.alloc(0)];
  }

  chunkFrom(row: number): NoteChunk | null {
    const chunk = this.chunks.find(({ lastRow }) => lastRow >= row);
    if (chunk !== undefined) return unpack(chunk);
    if ((this.openRows.at(-1) ?? -1) < row) return null;
    const text = this.openText.subarray(0, this.openEnds.at(-1));
    return { rows: this.openRows, ends: this.openEnds, text };
  }

  private compress(chunk: PackedChunk): void {
    deflateRaw(chunk.bytes, FAST, (error, packed) => {
      if (error !== null) return;
      this.packedBytes += packed.byteLength - chunk.bytes.byteLength;
      chunk.bytes = Buffer.from(packed);
      chunk.isCompressed = true;
    });
  }
}

function unpack({ count, bytes: packed, isCompressed }: PackedChunk): NoteChunk {
  const bytes = isCompressed ? inflateRawSync(packed) : packed;
  const ends = new Uint32Array(count);
  const rows = new Uint16Array(count);
  Buffer.from(ends.buffer).set(bytes.subarray(0, count * 4));
  Buffer.from(rows.buffer).set(bytes.subarray(count * 4, count * 6));
  return { rows, ends, text: bytes.subarray(count * 6) };
}

export class NoteSearch {
  private row = -1;

  constructor(
    private readonly notes: NoteReader,
    private readonly needle: Buffer,
    private readonly end: number,
  ) {}

  /** Returns the first match at or after this row, or the end if there is none. */
  next(from: number): number {
    if (this.row < from) this.row = this.find(from);
    return this.row;
  }

  private find(from: number): number {
    for (let row = from; row < this.end;) {
      const chunk = this.notes.chunkFrom(row);
      if (chunk === null) return this.end;
      const { rows, ends, text } = chunk;
      const first = lowest(rows.length, (i) => (rows[i] ?? 0) >= row);
      const at = text.indexOf(this.needle, first === 0 ? 0 : ends[first - 1]);
      if (at !== -1) {
        const found = rows[lowest(ends.length, (i) => (ends[i] ?? 0) > at)] ?? this.end;
        return Math.min(found, this.end);
      }
      row = (rows.at(-1) ?? this.end) + 1;
    }
    return this.end;
  }
}

/** Caches the last decompressed chunk, since searches for several words often use the same one. */
export class NoteReader {
  private from = 0;
  private last = -1;
  private chunk: NoteChunk | null = null;

  constructor(private readonly column: NoteColumn) {}

  chunkFrom(row: number): NoteChunk | null {
    if (row < this.from || row > this.last) {
      this.chunk = this.column.chunkFrom(row);
      this.from = row;
      this.last = this.chunk?.rows.at(-1) ?? Infinity;
    }
    return this.chunk;
  }
}

function lowest(count: number, passes: (i: number) => boolean): number {
  let [low, high] = [0, count];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (passes(middle)) high = middle;
    else low = middle + 1;
  }
  return low;
}

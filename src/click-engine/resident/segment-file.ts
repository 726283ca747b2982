import { closeSync, constants, fstatSync, openSync, readSync } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { setTimeout } from 'node:timers/promises';
import { crc32 } from 'node:zlib';
import type { NarrowNumbers } from '../chunk/narrow-numbers';
import type { Cancellation } from '../cancellation';
import type { Segment } from './segment';

/** A file that does not hold what was written under that name: it was cut, damaged or replaced. */
export class SegmentFileError extends Error {}

/** An array as the head of a file names it: the bytes of a number, and how many there are. */
type ArrayEntry = readonly [bytesEach: number, length: number];

interface Head {
  /** Name that the writer has given. */
  readonly name: string;
  /** In the order in which they follow. */
  readonly arrays: readonly ArrayEntry[];
  /** With `{ array: position }` in place of each array. */
  readonly segments: unknown;
}

const LENGTH_BYTES = 4;
const SUM_BYTES = 4;
/** Bytes written at one time. */
const PIECE_BYTES = 4 * 1024 * 1024;
/** In the background a pause is so many times as long as the sync before it: others use the disk. */
const PAUSE_SHARE = 3;
const MAX_PAUSE_MS = 500;

/**
 * Writes segments, and nulls between them: the length of the head, the head as JSON, the arrays that
 * it names, and the CRC-32 of all of it. In the byte order of the machine, which alone reads it.
 *
 * In the background every few megabytes are synced and followed by a pause, so that whoever else
 * writes to the disk is not held up; CancelledError once it is cancelled.
 */
export async function writeSegments(
  file: string,
  name: string,
  segments: readonly (Segment | null)[],
  background: Cancellation | null = null,
): Promise<void> {
  const arrays: NarrowNumbers[] = [];
  const described: unknown = JSON.parse(
    JSON.stringify(segments, (_, value: unknown) =>
      ArrayBuffer.isView(value) ? { array: arrays.push(value as NarrowNumbers) - 1 } : value,
    ),
  );
  const entries = arrays.map((array): ArrayEntry => [array.BYTES_PER_ELEMENT, array.length]);
  const head: Head = { name, arrays: entries, segments: described };
  const text = Buffer.from(JSON.stringify(head));
  const handle = await open(file, 'wx', 0o600);
  try {
    let sum = 0;
    for (const piece of piecesOf([uint32(text.length), text, ...arrays.map(viewBytes)])) {
      sum = crc32(piece, sum);
      if (background === null) await writeWhole(handle, piece);
      else await writePaced(handle, piece, background);
    }
    await writeWhole(handle, uint32(sum));
  } finally {
    await handle.close();
  }
}

/** Reads them back; a SegmentFileError unless all of it is as it was written under that name. */
export function readSegments(file: string, name: string): (Segment | null)[] {
  const fd = openSnapshotFile(file);
  try {
    if (!fstatSync(fd).isFile()) throw new SegmentFileError('it is no regular file');
    let left = fstatSync(fd).size - SUM_BYTES;
    let sum = 0;
    const take = <T extends Uint8Array>(bytes: T): T => {
      left -= bytes.length;
      readWhole(fd, bytes);
      // The sum of no bytes may be 0, regardless of the sum before.
      if (bytes.length > 0) sum = crc32(bytes, sum);
      return bytes;
    };
    const room = (bytes: number): number => {
      if (bytes > left) throw new SegmentFileError('it is shorter than it says');
      return bytes;
    };
    const length = take(Buffer.alloc(room(LENGTH_BYTES))).readUInt32LE();
    const text = take(Buffer.alloc(room(length))).toString();
    const { arrays: entries, ...head } = parseHead(text);
    if (head.name !== name) throw new SegmentFileError('it is another one');
    const arrays = entries.map(([bytesEach, count]) => {
      room(bytesEach * count);
      const array = arrayOf(bytesEach, count);
      take(viewBytes(array));
      return array;
    });
    if (left !== 0) throw new SegmentFileError('it goes on after its end');
    const end = Buffer.alloc(SUM_BYTES);
    readWhole(fd, end);
    if (end.readUInt32LE() !== sum) throw new SegmentFileError('the checksum differs');
    return withArrays(head.segments, arrays) as (Segment | null)[];
  } finally {
    closeSync(fd);
  }
}

/** Follows no link and waits for nobody at the other end of a pipe. */
export function openSnapshotFile(file: string): number {
  return openSync(file, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
}

function parseHead(text: string): Head {
  try {
    return JSON.parse(text) as Head;
  } catch (cause) {
    throw new SegmentFileError('its head is unreadable', { cause });
  }
}

/** A copy with the arrays in their places. */
function withArrays(described: unknown, arrays: readonly NarrowNumbers[]): unknown {
  if (typeof described !== 'object' || described === null) return described;
  if (Array.isArray(described)) return described.map((one) => withArrays(one, arrays));
  const { array } = described as { array?: number };
  if (array !== undefined) return arrays[array];
  return Object.fromEntries(
    Object.entries(described).map(([name, value]) => [name, withArrays(value, arrays)]),
  );
}

function arrayOf(bytesEach: number, length: number): NarrowNumbers {
  if (bytesEach === 1) return new Uint8Array(length);
  if (bytesEach === 2) return new Uint16Array(length);
  return new Uint32Array(length);
}

function viewBytes({ buffer, byteOffset, byteLength }: NarrowNumbers): Uint8Array {
  return new Uint8Array(buffer, byteOffset, byteLength);
}

function uint32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32LE(value);
  return bytes;
}

/** All bytes in pieces of one size, each of which is there until the next one. */
function* piecesOf(parts: readonly Uint8Array[]): Generator<Uint8Array> {
  const piece = new Uint8Array(PIECE_BYTES);
  let filled = 0;
  for (const bytes of parts) {
    for (let from = 0; from < bytes.length;) {
      const some = bytes.subarray(from, from + PIECE_BYTES - filled);
      piece.set(some, filled);
      filled += some.length;
      from += some.length;
      if (filled < PIECE_BYTES) continue;
      yield piece;
      filled = 0;
    }
  }
  if (filled > 0) yield piece.subarray(0, filled);
}

async function writeWhole(handle: FileHandle, bytes: Uint8Array): Promise<void> {
  for (let done = 0; done < bytes.length;) {
    done += (await handle.write(bytes, done)).bytesWritten;
  }
}

async function writePaced(
  handle: FileHandle,
  bytes: Uint8Array,
  background: Cancellation,
): Promise<void> {
  background.check();
  await writeWhole(handle, bytes);
  const begun = performance.now();
  await handle.datasync();
  await setTimeout(Math.min((performance.now() - begun) * PAUSE_SHARE, MAX_PAUSE_MS));
}

function readWhole(fd: number, bytes: Uint8Array): void {
  for (let done = 0; done < bytes.length;) {
    const read = readSync(fd, bytes, done, bytes.length - done, null);
    if (read === 0) throw new SegmentFileError('it ends early');
    done += read;
  }
}

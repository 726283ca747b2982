import { createReadStream, createWriteStream } from 'node:fs';
import { open, rename, rm } from 'node:fs/promises';
import { PassThrough, Readable, Transform, type TransformCallback } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { promisify } from 'node:util';
import { createGunzip, createInflateRaw, inflateRaw, type ZlibOptions } from 'node:zlib';
import type { CopyRoom } from '../store/import';
import { BombError, ImportFormatError, UnpackedError } from './source.errors';
import { onlyZipMember, type ZipMember } from './zip-member';

/** Maximum decompressed size: compressed size times the ratio, plus a fixed allowance. */
const MAX_RATIO = 100;
const SPARE_BYTES = 1024 * 1024;
const NESTED = 'an archive within an archive';
const BROKEN_ARCHIVE = 'a broken gzip or ZIP file';
const inflated = promisify<Buffer, ZlibOptions, Buffer>(inflateRaw);
const GZIP = Buffer.from([0x1f, 0x8b]);
/** A zip file starts with its first entry, or with the end record if the file has no entries. */
const ZIPS = ['PK\u0003\u0004', 'PK\u0005\u0006'].map((mark) => Buffer.from(mark));
const MARK_LENGTH = 4;
const OTHER_FORMATS: readonly (readonly [string, Buffer])[] = [
  ['a PDF', Buffer.from('%PDF')],
  ['an image', Buffer.from([0x89, 0x50, 0x4e, 0x47])],
];

/** Copied bytes between two checks of the available space. */
export const LOOK_BYTES = 16 * 1024 * 1024;

export const ANY_ROOM: CopyRoom = { maxBytes: Infinity, check: () => Promise.resolve() };

export class CopyMeter {
  private bytes = 0;
  private looked = 0;

  constructor(private readonly room: CopyRoom) {}

  /** @throws ImportFormatError if the copy exceeds its available space */
  async add(bytes: number): Promise<void> {
    this.bytes += bytes;
    if (this.bytes > this.room.maxBytes) throw new UnpackedError(this.room.maxBytes);
    if (this.bytes - this.looked < LOOK_BYTES) return;
    this.looked = this.bytes;
    await this.room.check();
  }
}

export function metered(room: CopyRoom): Transform {
  const meter = new CopyMeter(room);
  return new Transform({
    transform(piece: Buffer, _encoding, done: TransformCallback) {
      meter.add(piece.length).then(() => done(null, piece), done);
    },
  });
}

/** Copies compressed and UTF-16 files as UTF-8, atomically. @throws ImportFormatError */
export async function preparePlainFile(path: string, room = ANY_ROOM): Promise<string> {
  const { encoding, packing } = await readForm(path);
  if (packing === null && encoding === null) return path;
  const plain = `${path}.plain`;
  if (await canOpenFile(plain)) return plain;
  const part = `${plain}.part`;
  try {
    const copy = createWriteStream(part, { mode: 0o600 });
    await pipeline(await openPlain(path), metered(room), copy);
  } catch (error) {
    await rm(part, { force: true });
    throw isOfZlib(error) ? new ImportFormatError(BROKEN_ARCHIVE) : error;
  }
  await rename(part, plain);
  return plain;
}

export async function plainStart(path: string, count: number): Promise<Buffer> {
  const pieces: Buffer[] = [];
  let length = 0;
  const stream = await openPlain(path);
  try {
    for await (const piece of stream as AsyncIterable<Buffer>) {
      pieces.push(piece);
      length += piece.length;
      if (length >= count) break;
    }
  } catch (error) {
    throw isOfZlib(error) ? new ImportFormatError(BROKEN_ARCHIVE) : error;
  }
  return Buffer.concat(pieces).subarray(0, count);
}

export async function isZipFile(path: string): Promise<boolean> {
  const file = await open(path, 'r');
  try {
    const { buffer } = await file.read(Buffer.alloc(MARK_LENGTH), 0, MARK_LENGTH, 0);
    return ZIPS.some((mark) => buffer.equals(mark));
  } finally {
    await file.close();
  }
}

/** Maximum decompressed size, given the compressed size. */
export function maxPlainBytes(packed: number): number {
  return packed * MAX_RATIO + SPARE_BYTES;
}

/** Decompresses an entry that was located in the archive; the entry may be an archive. */
export async function memberBytes(
  path: string,
  member: ZipMember,
  max: number,
): Promise<Buffer | null> {
  if (member.packed > max) return null;
  const packed = Buffer.alloc(member.packed);
  const file = await open(path, 'r');
  try {
    await file.read(packed, 0, packed.length, member.start);
  } finally {
    await file.close();
  }
  return member.isDeflated ? inflatedBytes(packed, max) : packed;
}

/** The entry may be an archive. Throws ImportFormatError for broken data. */
export function openMember(path: string, member: ZipMember): AsyncGenerator<Buffer> {
  const steps = member.isDeflated ? [createInflateRaw()] : [];
  return plainBytes([packedBytes(path, member), ...steps], maxPlainBytes(member.packed));
}

async function* plainBytes(steps: (Readable | Transform)[], max: number): AsyncGenerator<Buffer> {
  const last = new PassThrough();
  // An error destroys every stream, so reading the last stream throws the error.
  void pipeline([...steps, boundedBytes(max), last]).catch(() => undefined);
  try {
    for await (const piece of last as AsyncIterable<Buffer>) yield piece;
  } catch (error) {
    throw isOfZlib(error) ? new ImportFormatError(BROKEN_ARCHIVE) : error;
  }
}

/** Null if the output exceeds `max` bytes. */
async function inflatedBytes(packed: Buffer, max: number): Promise<Buffer | null> {
  const bound = maxPlainBytes(packed.length);
  try {
    return await inflated(packed, { maxOutputLength: Math.max(1, Math.min(bound, max)) });
  } catch (error) {
    if (isOfZlib(error)) throw new ImportFormatError(BROKEN_ARCHIVE);
    if (errorCode(error) !== 'ERR_BUFFER_TOO_LARGE') throw error;
    if (bound <= max) throw new BombError();
    return null;
  }
}

interface FileForm {
  readonly packing: 'gzip' | ZipMember | null;
  readonly encoding: 'utf-16le' | 'utf-16be' | null;
  readonly bytes: number;
}

async function readForm(path: string): Promise<FileForm> {
  const file = await open(path, 'r');
  try {
    const start = Buffer.alloc(8);
    const { bytesRead } = await file.read(start, 0, start.length, 0);
    const { size } = await file.stat();
    if (bytesRead === 0) throw new ImportFormatError('empty');
    const otherFormat = OTHER_FORMATS.find(([, mark]) =>
      start.subarray(0, mark.length).equals(mark),
    );
    if (otherFormat !== undefined) throw new ImportFormatError(otherFormat[0]);
    const packing = await detectPacking(path, start);
    return { packing, encoding: packing === null ? detectEncoding(start) : null, bytes: size };
  } finally {
    await file.close();
  }
}

async function detectPacking(path: string, start: Buffer): Promise<FileForm['packing']> {
  if (!isPackedFile(start)) return null;
  if (start[0] === GZIP[0]) return 'gzip';
  const member = await onlyZipMember(path);
  if (typeof member === 'string') throw new ImportFormatError(member);
  return member;
}

function isPackedFile(start: Buffer): boolean {
  return [GZIP, ...ZIPS].some((mark) => start.subarray(0, mark.length).equals(mark));
}

function detectEncoding(start: Buffer): FileForm['encoding'] {
  if (start[0] === 0xff && start[1] === 0xfe) return 'utf-16le';
  return start[0] === 0xfe && start[1] === 0xff ? 'utf-16be' : null;
}

async function openPlain(path: string): Promise<Readable> {
  const { packing, bytes } = await readForm(path);
  const decoded = new Utf8Copy();
  const steps: Transform[] = [];
  if (packing === 'gzip') steps.push(createGunzip());
  else if (packing?.isDeflated === true) steps.push(createInflateRaw());
  if (packing !== null) steps.push(boundedBytes(maxPlainBytes(bytes)));
  const file = packedBytes(path, packing);
  const last = new PassThrough();
  void pipeline([file, ...steps, decoded, last]).catch(() => undefined);
  return last;
}

function packedBytes(path: string, packing: FileForm['packing']): Readable {
  if (packing === null || packing === 'gzip') return createReadStream(path);
  const { start, packed } = packing;
  return packed === 0
    ? Readable.from([])
    : createReadStream(path, { start, end: start + packed - 1 });
}

/** Throws if more than `max` bytes pass through. */
function boundedBytes(max: number): Transform {
  let count = 0;
  return new Transform({
    transform(piece: Buffer, _encoding, done: TransformCallback) {
      count += piece.length;
      if (count <= max) done(null, piece);
      else done(new BombError());
    },
  });
}

/** Converts UTF-16 with a byte-order mark to UTF-8 and leaves other data unchanged. */
class Utf8Copy extends Transform {
  private decoder?: InstanceType<typeof TextDecoder> | null;

  override _transform(piece: Buffer, _encoding: string, done: TransformCallback): void {
    if (this.decoder === undefined) {
      if (isPackedFile(piece)) {
        done(new ImportFormatError(NESTED));
        return;
      }
      const encoding = detectEncoding(piece);
      this.decoder = encoding === null ? null : new TextDecoder(encoding);
    }
    done(null, this.decoder === null ? piece : this.decoder.decode(piece, { stream: true }));
  }

  override _flush(done: TransformCallback): void {
    done(null, this.decoder?.decode());
  }
}

async function canOpenFile(path: string): Promise<boolean> {
  try {
    await (await open(path, 'r')).close();
    return true;
  } catch {
    return false;
  }
}

function isOfZlib(error: unknown): boolean {
  return errorCode(error).startsWith('Z_');
}

function errorCode(error: unknown): string {
  return typeof error === 'object' && error !== null && 'code' in error ? String(error.code) : '';
}

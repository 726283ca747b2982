import { createReadStream, statSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { pipeline } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { BrokenBackupError } from './cli.errors';
import {
  type BackupFile,
  type BackupManifest,
  isArchive,
  MANIFEST,
  parseCollection,
  parseManifest,
  type Pieces,
  Tally,
} from './backup-target';
import { parseTarHeader, TAR_BLOCK, tarPadding } from './tar';

/** All pieces must be read before the next part is requested. */
interface BackupPart {
  readonly name: string;
  readonly pieces: Pieces;
}

export class BackupSource {
  private constructor(
    private readonly path: string,
    readonly manifest: BackupManifest,
    /** Contents of `.metadata.json` by collection. */
    readonly metadata: ReadonlyMap<string, Buffer>,
  ) {}

  /** Reads the complete backup and verifies all digests. @throws BrokenBackupError */
  static async open(path: string, signal: AbortSignal): Promise<BackupSource> {
    const found = new Map<string, BackupFile>();
    const metadata = new Map<string, Buffer>();
    let manifest: BackupManifest | undefined;
    for await (const { name, pieces } of readParts(path)) {
      const tally = new Tally(signal);
      const kept: Buffer[] = [];
      const part = parseCollection(name);
      const keeps = name === MANIFEST || part?.half === 'metadata.json';
      for await (const piece of tally.countPieces(pieces)) if (keeps) kept.push(piece);
      if (name === MANIFEST) manifest = parseManifest(Buffer.concat(kept));
      else found.set(name, tally.file(name));
      if (part !== null && keeps) metadata.set(part.collection, Buffer.concat(kept));
    }
    if (manifest === undefined) {
      throw new BrokenBackupError(`${path} is not a complete backup: it has no ${MANIFEST}`);
    }
    for (const { name, bytes, sha256 } of manifest.files) {
      const part = found.get(name);
      if (part === undefined) throw new BrokenBackupError(`${path} lacks ${name}`);
      if (part.bytes !== bytes || part.sha256 !== sha256) {
        throw new BrokenBackupError(`${path}: ${name} is damaged`);
      }
    }
    return new BackupSource(path, manifest, metadata);
  }

  async *parts(): AsyncGenerator<BackupPart> {
    const names = new Set(this.manifest.files.map(({ name }) => name));
    for await (const part of readParts(this.path)) {
      if (names.has(part.name)) yield part;
    }
  }
}

function readParts(path: string): AsyncGenerator<BackupPart> {
  return isArchive(path) ? partsOfArchive(path) : partsOfFolder(path);
}

async function* partsOfFolder(path: string): AsyncGenerator<BackupPart> {
  if (!statSync(path).isDirectory()) {
    throw new BrokenBackupError(`${path} is neither a folder nor a .tar or .tar.gz file`);
  }
  for (const entry of await readdir(path, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue;
    const file = join(entry.parentPath, entry.name);
    yield { name: relative(path, file), pieces: createReadStream(file) as AsyncIterable<Buffer> };
  }
}

async function* partsOfArchive(path: string): AsyncGenerator<BackupPart> {
  const bytes = new StreamByteReader(readUnzipped(path), `${path} is damaged or incomplete`);
  try {
    for (;;) {
      const header = parseTarHeader(await bytes.takeBytes(TAR_BLOCK));
      if (header === undefined) return;
      if (header === null) throw new BrokenBackupError(`${path} is not a tar file, or is damaged`);
      const pieces = bytes.takePieces(header.bytes);
      if (header.isFile) yield { name: header.name, pieces };
      await skipRest(pieces);
      await bytes.takeBytes(tarPadding(header.bytes));
    }
  } finally {
    await bytes.close();
  }
}

async function* readUnzipped(path: string): AsyncGenerator<Buffer> {
  const file = createReadStream(path);
  if (!path.endsWith('.gz')) {
    yield* file as AsyncIterable<Buffer>;
    return;
  }
  const gunzip = createGunzip();
  pipeline(file, gunzip, () => undefined);
  try {
    yield* gunzip as AsyncIterable<Buffer>;
  } catch (error) {
    if (!String((error as NodeJS.ErrnoException).code).startsWith('Z_')) throw error;
    throw new BrokenBackupError(`${path} is damaged or incomplete`);
  }
}

/** Reads the remaining pieces, which the archive contains before the next part. */
async function skipRest(pieces: AsyncGenerator<Buffer>): Promise<void> {
  while ((await pieces.next()).done !== true);
}

class StreamByteReader {
  private rest: Buffer = Buffer.alloc(0);

  /** @param fault error message if the stream ends too early */
  constructor(
    private readonly pieces: AsyncGenerator<Buffer>,
    private readonly fault: string,
  ) {}

  async close(): Promise<void> {
    await this.pieces.return(undefined);
  }

  async takeBytes(length: number): Promise<Buffer> {
    const pieces: Buffer[] = [];
    for await (const piece of this.takePieces(length)) pieces.push(piece);
    return Buffer.concat(pieces);
  }

  async *takePieces(length: number): AsyncGenerator<Buffer> {
    for (let left = length; left > 0;) {
      if (this.rest.length === 0) await this.refill();
      const piece = this.rest.subarray(0, left);
      this.rest = this.rest.subarray(piece.length);
      left -= piece.length;
      yield piece;
    }
  }

  private async refill(): Promise<void> {
    const next = await this.pieces.next();
    if (next.done === true) throw new BrokenBackupError(this.fault);
    this.rest = next.value;
  }
}

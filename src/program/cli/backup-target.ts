import { createHash } from 'node:crypto';
import { type FileHandle, mkdir, open, readdir, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { pipeline } from 'node:stream';
import { createGzip, gzipSync } from 'node:zlib';
import { z } from 'zod';
import { syncFolder } from '../../clicks/journal/journal.files';
import { TAR_END, tarHeader, tarPadding } from './tar';
import { BrokenBackupError, TargetTakenError } from './cli.errors';

/** This file is written last, so that a backup without it is known to be incomplete. */
export const MANIFEST = 'backup.json';
const BACKUP_FORMAT = 1;
const MAX_MANIFEST_BYTES = 256 * 1024 * 1024;

export interface BackupFile {
  name: string;
  bytes: number;
  sha256: string;
  /** Number of documents; present only for collections. */
  documents?: number;
}

export interface BackupManifest {
  format: number;
  version: string;
  started_at: string;
  finished_at: string;
  files: BackupFile[];
}

/** Secrets generated in DATA_DIR; not included with `--without-secrets`. */
export const SECRET_FILES = ['jwt-secret', 'visitor-key'] as const;

export const STATE_FILES = ['recorder-intents', 'node-id'] as const;

const COLLECTION = /^database\/([\w.-]{1,120})\.(bson|metadata\.json)$/;
const DATA_FILE = new RegExp(
  `^data/(?:journal/[^/\\\\]{1,200}\\.(?:open|sealed)|${[...STATE_FILES, ...SECRET_FILES].join('|')})$`,
);

export function countDocuments(files: readonly BackupFile[]): number {
  return files.reduce((sum, { documents = 0 }) => sum + documents, 0);
}

/** Returns the collection and whether the part has its data or metadata; otherwise null. */
export function parseCollection(name: string): { collection: string; half: string } | null {
  const [, collection, half] = COLLECTION.exec(name) ?? [];
  return collection === undefined || half === undefined ? null : { collection, half };
}

/** Returns the path relative to DATA_DIR; null if the part is not a file in DATA_DIR. */
export function dataFilePath(name: string): string | null {
  return DATA_FILE.test(name) ? name.slice('data/'.length) : null;
}

export function newManifest(manifest: Omit<BackupManifest, 'format'>): Buffer {
  return Buffer.from(`${JSON.stringify({ format: BACKUP_FORMAT, ...manifest }, null, 2)}\n`);
}

const manifestSchema = z.object({
  format: z.literal(BACKUP_FORMAT),
  version: z.string(),
  started_at: z.iso.datetime(),
  finished_at: z.iso.datetime(),
  files: z.array(
    z.object({
      name: z
        .string()
        .refine((name) => parseCollection(name) !== null || dataFilePath(name) !== null),
      bytes: z.int().nonnegative(),
      sha256: z.string().regex(/^[0-9a-f]{64}$/),
      documents: z.int().nonnegative().optional(),
    }),
  ),
});

/** @throws BrokenBackupError if the manifest is invalid */
export function parseManifest(content: Buffer): BackupManifest {
  let value: unknown;
  try {
    if (content.length > MAX_MANIFEST_BYTES) throw new Error('too long');
    value = JSON.parse(content.toString());
  } catch {
    throw new BrokenBackupError(`${MANIFEST} is damaged`);
  }
  const { format } = (value ?? {}) as { format?: unknown };
  if (typeof format === 'number' && format > BACKUP_FORMAT) {
    throw new BrokenBackupError(
      'The backup is from a later version of Curtail: restore it with that version',
    );
  }
  const parsed = manifestSchema.safeParse(value);
  if (!parsed.success) throw new BrokenBackupError(`${MANIFEST} is damaged`);
  const names = new Set(parsed.data.files.map(({ name }) => name));
  if (names.size < parsed.data.files.length) throw new BrokenBackupError(`${MANIFEST} is damaged`);
  return parsed.data;
}

export type Pieces = AsyncIterable<Buffer> | Iterable<Buffer>;

export interface BackupTarget {
  write(name: string, pieces: Pieces): Promise<BackupFile>;
  /** Resolves once all data is on disk. */
  finish(): Promise<void>;
  discard(): Promise<void>;
}

export function isArchive(path: string): boolean {
  return /\.tar(?:\.gz)?$/.test(path);
}

export function openTarget(path: string, signal: AbortSignal): Promise<BackupTarget> {
  return isArchive(path) ? ArchiveTarget.create(path, signal) : FolderTarget.create(path, signal);
}

export class Tally {
  bytes = 0;
  private readonly digest = createHash('sha256');

  constructor(private readonly signal: AbortSignal) {}

  async *countPieces(pieces: Pieces): AsyncGenerator<Buffer> {
    for await (const piece of pieces) {
      this.signal.throwIfAborted();
      this.bytes += piece.length;
      this.digest.update(piece);
      yield piece;
    }
  }

  file(name: string): BackupFile {
    return { name, bytes: this.bytes, sha256: this.digest.digest('hex') };
  }
}

export async function writeFileDurably(path: string, pieces: Pieces): Promise<void> {
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  const handle = await open(path, 'wx', 0o600);
  try {
    for await (const piece of pieces) await handle.writeFile(piece);
    await handle.sync();
  } finally {
    await handle.close();
  }
}

class FolderTarget implements BackupTarget {
  private constructor(
    private readonly path: string,
    /** The topmost folder that was created; undefined if all folders existed. */
    private readonly made: string | undefined,
    private readonly signal: AbortSignal,
  ) {}

  static async create(path: string, signal: AbortSignal): Promise<FolderTarget> {
    const createdFolder = await mkdir(path, { recursive: true, mode: 0o700 }).catch(
      (error: unknown) => {
        if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
        throw new TargetTakenError(
          `${path} is not a folder; name a new folder, or a file that ends in .tar`,
        );
      },
    );
    if ((await readdir(path)).length > 0) throw new TargetTakenError(`${path} is not empty`);
    return new FolderTarget(path, createdFolder, signal);
  }

  async write(name: string, pieces: Pieces): Promise<BackupFile> {
    const tally = new Tally(this.signal);
    await writeFileDurably(join(this.path, name), tally.countPieces(pieces));
    return tally.file(name);
  }

  async finish(): Promise<void> {
    const entries = await readdir(this.path, { recursive: true, withFileTypes: true });
    const folders = new Set(entries.map(({ parentPath }) => parentPath));
    for (const folder of folders) await syncFolder(folder);
  }

  async discard(): Promise<void> {
    if (this.made !== undefined) return rm(this.made, { recursive: true, force: true });
    for (const name of await readdir(this.path)) {
      await rm(join(this.path, name), { recursive: true, force: true });
    }
  }
}

/**
 * A tar file, which may be compressed. A part's length is known only when the part has been
 * written, so its header is then written into space reserved before it; in a compressed archive,
 * this space is an uncompressed gzip member of fixed length.
 */
class ArchiveTarget implements BackupTarget {
  private position = 0;
  private readonly begun = new Date();

  private constructor(
    private readonly path: string,
    private readonly handle: FileHandle,
    private readonly signal: AbortSignal,
    private readonly compressed = path.endsWith('.gz'),
  ) {}

  static async create(path: string, signal: AbortSignal): Promise<ArchiveTarget> {
    const handle = await open(path, 'wx', 0o600).catch((error: unknown) => {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
      throw new TargetTakenError(`${path} already exists`);
    });
    return new ArchiveTarget(path, handle, signal);
  }

  async write(name: string, pieces: Pieces): Promise<BackupFile> {
    const tally = new Tally(this.signal);
    const headerAt = this.position;
    this.position += this.headerMember(tarHeader(name, 0, this.begun)).length;
    const padded = (async function* () {
      yield* tally.countPieces(pieces);
      yield Buffer.alloc(tarPadding(tally.bytes));
    })();
    for await (const piece of this.pack(padded)) await this.append(piece);
    await this.writeAt(headerAt, this.headerMember(tarHeader(name, tally.bytes, this.begun)));
    return tally.file(name);
  }

  async finish(): Promise<void> {
    await this.append(this.compressed ? gzipSync(TAR_END) : TAR_END);
    await this.handle.sync();
    await this.handle.close();
    await syncFolder(dirname(this.path));
  }

  async discard(): Promise<void> {
    await this.handle.close().catch(() => undefined);
    await rm(this.path, { force: true });
  }

  private headerMember(header: Buffer): Buffer {
    return this.compressed ? gzipSync(header, { level: 0 }) : header;
  }

  private pack(pieces: AsyncIterable<Buffer>): AsyncIterable<Buffer> {
    // The last stream's iterator throws all streams' errors.
    return this.compressed ? pipeline(pieces, createGzip(), () => undefined) : pieces;
  }

  private async append(piece: Buffer): Promise<void> {
    await this.writeAt(this.position, piece);
    this.position += piece.length;
  }

  private async writeAt(position: number, bytes: Buffer): Promise<void> {
    for (let done = 0; done < bytes.length;) {
      const left = bytes.length - done;
      const { bytesWritten } = await this.handle.write(bytes, done, left, position + done);
      done += bytesWritten;
    }
  }
}

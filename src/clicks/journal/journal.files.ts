import { randomBytes } from 'node:crypto';
import fs from 'node:fs';
import { open } from 'node:fs/promises';
import { promisify } from 'node:util';
import path from 'node:path';
import { type DiskSpace, diskSpace } from '../../infrastructure/files/disk-space';
import { isSameProcessAlive, ownProcessIdentity } from '../../processes/process-identity';
import { JOURNAL_HEADER } from './journal.format';

const PATTERN = /^(\d+)\.([^.]*)\.[0-9a-f]{12}-\d{6,}\.(open|sealed)$/;

/**
 * Names of one writer's files: `<pid>.<start time>.<random>-<number>`, never used twice. They tell
 * a reader whether the writer of a file that was never sealed still lives.
 */
export class JournalNames {
  private readonly stem: string;
  private count = 0;

  constructor() {
    const { pid, startTime } = ownProcessIdentity();
    // Opaque text may hold what a file name or our own pattern cannot.
    const start = encodeURIComponent(startTime ?? '').replaceAll('.', '%2E');
    this.stem = `${pid}.${start}.${randomBytes(6).toString('hex')}`;
  }

  next(): string {
    this.count += 1;
    return `${this.stem}-${String(this.count).padStart(6, '0')}`;
  }
}

/** Whether a file in the journal's folder is complete: sealed, or left by a writer that died. */
export function isConsumable(fileName: string): boolean {
  const match = PATTERN.exec(fileName);
  if (match === null) return false;
  return match[3] === 'sealed' || !isWriterAlive(match);
}

/** Whether a journal file was written by a process that is no more, or on another machine. */
export function isInherited(fileName: string): boolean {
  const match = PATTERN.exec(fileName);
  return match !== null && !isWriterAlive(match);
}

function isWriterAlive([, pid, start = '']: RegExpExecArray): boolean {
  const startTime = start === '' ? null : decodeURIComponent(start);
  return isSameProcessAlive({ pid: Number(pid), startTime });
}

/** The file operations of the journal's writer, replaceable so that tests can make them fail. */
export interface JournalFiles {
  openSync(path: string): number;
  writeSync(fd: number, bytes: Buffer, offset: number, length: number): number;
  truncateSync(fd: number, length: number): void;
  closeSync(fd: number): void;
  /** Brings the bytes of a file to the disk, beside the event loop. */
  datasync(fd: number): Promise<void>;
  datasyncSync(fd: number): void;
  /** Brings the names in a folder to the disk: without it a new file may be gone with the power. */
  syncFolder(directory: string): Promise<void>;
  renameSync(from: string, to: string): void;
  unlinkSync(path: string): void;
  /** Returns the free space of the disk that a folder lies on. */
  space(directory: string): Promise<DiskSpace>;
}

/** The real ones. A journal holds visitors' addresses: only its owner may read it. */
export const journalFiles: JournalFiles = {
  openSync: (path) => fs.openSync(path, 'ax', 0o600),
  writeSync: (fd, bytes, offset, length) => fs.writeSync(fd, bytes, offset, length),
  truncateSync: (fd, length) => fs.ftruncateSync(fd, length),
  closeSync: (fd) => fs.closeSync(fd),
  datasync: promisify(fs.fdatasync),
  datasyncSync: (fd) => fs.fdatasyncSync(fd),
  syncFolder,
  renameSync: (from, to) => fs.renameSync(from, to),
  unlinkSync: (path) => fs.unlinkSync(path),
  space: diskSpace,
};

/** Names made, changed or removed in a folder are durable only when the folder is. */
export async function syncFolder(directory: string): Promise<void> {
  const handle = await open(directory, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

const HEADER_LINE = Buffer.from(JOURNAL_HEADER);

/** A journal file that this process appends to: `<name>.open` until it is sealed. */
export class OpenJournal {
  /** Bytes written so far, the header included. */
  bytes = 0;
  private readonly path: string;

  private constructor(
    private readonly files: JournalFiles,
    private readonly directory: string,
    readonly name: string,
    private readonly fd: number,
  ) {
    this.path = OpenJournal.openFilePath(directory, name);
  }

  /** Creates the file with its header line; leaves nothing behind when that fails. */
  static create(files: JournalFiles, directory: string, name: string): OpenJournal {
    const journal = new OpenJournal(
      files,
      directory,
      name,
      files.openSync(OpenJournal.openFilePath(directory, name)),
    );
    try {
      if (journal.write(HEADER_LINE, 0) !== HEADER_LINE.length)
        throw new Error('No room for a header');
      return journal;
    } catch (error) {
      journal.remove();
      throw error;
    }
  }

  /** Appends what it can of `bytes` from `offset` on in one call, and says how much that was. */
  write(bytes: Buffer, offset: number): number {
    const written = this.files.writeSync(this.fd, bytes, offset, bytes.length - offset);
    if (written <= 0) throw new Error('The journal accepted nothing');
    this.bytes += written;
    return written;
  }

  /** Drops the half of a line that ends the file. */
  truncate(torn: number): void {
    try {
      // Should it fail, the reader drops the torn line by itself.
      if (torn > 0) this.files.truncateSync(this.fd, this.bytes - torn);
    } catch {
      // The descriptor may be the very thing that is broken.
    }
  }

  /**
   * Gives the file to the recorder by renaming it. Throws when the renaming fails; calling it again
   * then tries that again.
   */
  seal(): void {
    this.files.renameSync(this.path, path.join(this.directory, `${this.name}.sealed`));
  }

  /** Brings what was written to the disk. */
  sync(): Promise<void> {
    return this.files.datasync(this.fd);
  }

  /** Syncs before it returns. */
  syncNow(): void {
    this.files.datasyncSync(this.fd);
  }

  close(): void {
    try {
      this.files.closeSync(this.fd);
    } catch {
      // Written lines stay written, even when close fails.
    }
  }

  private remove(): void {
    this.close();
    try {
      this.files.unlinkSync(this.path);
    } catch {
      // A file without records is harmless: the reader finds nothing in it.
    }
  }

  private static openFilePath(directory: string, name: string): string {
    return path.join(directory, `${name}.open`);
  }
}

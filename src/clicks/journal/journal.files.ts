import { randomBytes } from 'node:crypto';
import fs from 'node:fs';
import { open } from 'node:fs/promises';
import { promisify } from 'node:util';
import path from 'node:path';
import { type DiskSpace, diskSpace } from '../../infrastructure/files/disk-space';
import { isSameProcessAlive, ownProcessIdentity } from '../../processes/process-identity';
import { JOURNAL_HEADER } from './journal.format';

const PATTERN = /^(\d+)\.([^.]*)\.[0-9a-f]{12}-\d{6,}\.(open|sealed)$/;

/** Unique names `<pid>.<start time>.<random>-<number>`, which show whether the writer is alive. */
export class JournalNames {
  private readonly stem: string;
  private count = 0;

  constructor() {
    const { pid, startTime } = ownProcessIdentity();
    // The start time may contain characters that are invalid in file names.
    const start = encodeURIComponent(startTime ?? '').replaceAll('.', '%2E');
    this.stem = `${pid}.${start}.${randomBytes(6).toString('hex')}`;
  }

  next(): string {
    this.count += 1;
    return `${this.stem}-${String(this.count).padStart(6, '0')}`;
  }
}

/** Whether a file is complete: it is sealed, or its writer has died. */
export function isConsumable(fileName: string): boolean {
  const match = PATTERN.exec(fileName);
  if (match === null) return false;
  return match[3] === 'sealed' || !isWriterAlive(match);
}

/** Whether the writer has died or is on another machine. */
export function isInherited(fileName: string): boolean {
  const match = PATTERN.exec(fileName);
  return match !== null && !isWriterAlive(match);
}

function isWriterAlive([, pid, start = '']: RegExpExecArray): boolean {
  const startTime = start === '' ? null : decodeURIComponent(start);
  return isSameProcessAlive({ pid: Number(pid), startTime });
}

/** The writer's file operations; tests replace them to simulate failures. */
export interface JournalFiles {
  openSync(path: string): number;
  writeSync(fd: number, bytes: Buffer, offset: number, length: number): number;
  truncateSync(fd: number, length: number): void;
  closeSync(fd: number): void;
  /** Asynchronous; does not block the event loop. */
  datasync(fd: number): Promise<void>;
  datasyncSync(fd: number): void;
  /** Syncs the folder, because a new file may otherwise disappear after a power failure. */
  syncFolder(directory: string): Promise<void>;
  renameSync(from: string, to: string): void;
  unlinkSync(path: string): void;
  space(directory: string): Promise<DiskSpace>;
}

/** Only the owner can read journals, because they contain visitors' IP addresses. */
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

export async function syncFolder(directory: string): Promise<void> {
  const handle = await open(directory, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

const HEADER_LINE = Buffer.from(JOURNAL_HEADER);

/** A file that this process appends to; it is named `<name>.open` until it is sealed. */
export class OpenJournal {
  /** File size, including the header. */
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

  /** Creates a file with a header; if that fails, no file is left. */
  static create(files: JournalFiles, directory: string, name: string): OpenJournal {
    const journal = new OpenJournal(
      files,
      directory,
      name,
      files.openSync(OpenJournal.openFilePath(directory, name)),
    );
    try {
      if (journal.write(HEADER_LINE, 0) !== HEADER_LINE.length)
        throw new Error("There is no space for a journal file's header");
      return journal;
    } catch (error) {
      journal.remove();
      throw error;
    }
  }

  /** Writes in a single call, starting at `offset`; returns the number of bytes written. */
  write(bytes: Buffer, offset: number): number {
    const written = this.files.writeSync(this.fd, bytes, offset, bytes.length - offset);
    if (written <= 0) throw new Error('No bytes could be written to the journal');
    this.bytes += written;
    return written;
  }

  truncate(torn: number): void {
    try {
      // If truncating fails, the reader ignores the incomplete line.
      if (torn > 0) this.files.truncateSync(this.fd, this.bytes - torn);
    } catch {
      // The file descriptor itself may be unusable.
    }
  }

  /** Renames the file, so that the recorder reads it. May be retried after it throws. */
  seal(): void {
    this.files.renameSync(this.path, path.join(this.directory, `${this.name}.sealed`));
  }

  sync(): Promise<void> {
    return this.files.datasync(this.fd);
  }

  syncNow(): void {
    this.files.datasyncSync(this.fd);
  }

  close(): void {
    try {
      this.files.closeSync(this.fd);
    } catch {
      // Lines that were written are kept even if closing fails.
    }
  }

  private remove(): void {
    this.close();
    try {
      this.files.unlinkSync(this.path);
    } catch {
      // The reader ignores a file without records.
    }
  }

  private static openFilePath(directory: string, name: string): string {
    return path.join(directory, `${name}.open`);
  }
}

import type { Stats } from 'node:fs';
import { lstat, readdir, unlink } from 'node:fs/promises';
import path from 'node:path';
import type { Logger } from '../../common/log';
import { openRegular, quarantine } from '../../common/regular-file';
import { IrregularFileError } from '../../common/errors';
import { isConsumable, isInherited, syncFolder } from './journal.files';
import {
  type DecodedJournal,
  decodeJournal,
  JOURNAL_HEADER_BYTES,
  isReadableVersion,
  journalVersion,
  JOURNAL_VERSION,
} from './journal.format';
import { JournalVersionError } from '../clicks.errors';

/** Journal files have up to 8 MB, or 100 MB after a disk failure; larger files are not journals. */
const MAX_BYTES = 256 * 1024 * 1024;

export interface JournalFile {
  name: string;
  bytes: number;
  /** Last write time, in milliseconds since 1970. */
  modifiedMs: number;
}

export class JournalReader {
  private readonly readable = new Map<string, boolean>();
  private readonly told = new Set<string>();

  constructor(
    private readonly directory: string,
    private readonly logger: Logger,
  ) {}

  /** Returns sealed files and dead writers' files, oldest first; skips later versions. */
  async list(): Promise<JournalFile[]> {
    const names = (await this.entries()).filter(isConsumable);
    for (const name of this.readable.keys()) {
      if (!names.includes(name)) this.readable.delete(name);
    }
    for (const name of this.told) if (!names.includes(name)) this.told.delete(name);
    const files = await Promise.all(names.map((name) => this.inspect(name)));
    return files
      .filter((file) => file !== undefined)
      .sort((a, b) => a.modifiedMs - b.modifiedMs || (a.name < b.name ? -1 : 1));
  }

  /** Undefined if the file is missing or not a journal. @throws JournalVersionError */
  async read(name: string): Promise<DecodedJournal | undefined> {
    const bytes = await this.readBytes(name);
    if (bytes === undefined) return undefined;
    const decoded = decodeJournal(bytes, name);
    const { garbage, tornBytes } = decoded;
    if (garbage > 0) this.logger.error('A journal file has damaged lines', { name, garbage });
    if (tornBytes > 0)
      this.logger.warn('Dropped the incomplete last line of a journal file', { name, tornBytes });
    return decoded;
  }

  /** Keeps the file, so that the operator can inspect it. */
  async quarantine(name: string): Promise<void> {
    await quarantine(this.filePath(name)).catch(unlessGone);
  }

  async remove(name: string): Promise<void> {
    await unlink(this.filePath(name)).catch(unlessGone);
  }

  async quarantined(): Promise<number> {
    const kept = await readdir(this.filePath('quarantine')).catch(() => []);
    return kept.length;
  }

  async inherited(): Promise<string[]> {
    return (await this.entries()).filter(isInherited);
  }

  /** Prevents a removed file from reappearing after a power failure and being recorded twice. */
  async sync(): Promise<void> {
    await syncFolder(this.directory);
  }

  private async entries(): Promise<string[]> {
    return (await readdir(this.directory).catch(unlessGone)) ?? [];
  }

  private async inspect(name: string): Promise<JournalFile | undefined> {
    const found = await lstat(this.filePath(name)).catch(unlessGone);
    if (found === undefined) return undefined;
    if (!isJournal(found)) return this.exclude(name);
    try {
      if (!(await this.isReadable(name))) return undefined;
    } catch (error) {
      if (error instanceof IrregularFileError) return this.exclude(name);
      if (!isForbidden(error)) throw error;
      this.passOver(name, error);
      return undefined;
    }
    return { name, bytes: found.size, modifiedMs: found.mtimeMs };
  }

  /** Moves anything that is not a journal file out of the folder. */
  private async exclude(name: string): Promise<undefined> {
    if (this.told.has(name)) return undefined;
    this.told.add(name);
    try {
      await this.quarantine(name);
      this.logger.error('Moved an entry that is not a journal file to quarantine', { name });
    } catch (error) {
      // Some entries cannot be moved, for example a mount point.
      const { message: reason } = error as Error;
      this.logger.error('Skipped an entry in the journal folder that is not a journal file', {
        name,
        reason,
      });
    }
    return undefined;
  }

  /** Skips a file until it has read permission; other files are still processed. */
  private passOver(name: string, { message: reason }: Error): void {
    if (this.told.has(name)) return;
    this.told.add(name);
    this.logger.error(
      'No permission to read a journal file; its clicks will be recorded once it is readable',
      { name, reason },
    );
  }

  private async readBytes(name: string): Promise<Buffer | undefined> {
    try {
      const file = await openRegular(this.filePath(name));
      try {
        if (isJournal(await file.stat())) return await file.readFile();
      } finally {
        await file.close();
      }
    } catch (error) {
      if (!(error instanceof IrregularFileError)) {
        unlessGone(error as NodeJS.ErrnoException);
        return undefined;
      }
    }
    return this.exclude(name);
  }

  private async isReadable(name: string): Promise<boolean> {
    const known = this.readable.get(name);
    if (known !== undefined) return known;
    const version = journalVersion(await this.readHeader(name));
    // If the header is damaged, the number of fields determines each record's version.
    const readable = version === undefined || isReadableVersion(version);
    this.readable.set(name, readable);
    if (!readable) {
      this.logger.error('Skipped a journal file from a later release', {
        reason: new JournalVersionError(version, JOURNAL_VERSION, name).message,
      });
    }
    return readable;
  }

  private async readHeader(name: string): Promise<Buffer> {
    const file = await openRegular(this.filePath(name)).catch(unlessGone);
    if (file === undefined) return Buffer.alloc(0);
    try {
      const { buffer, bytesRead } = await file.read(
        Buffer.alloc(JOURNAL_HEADER_BYTES),
        0,
        JOURNAL_HEADER_BYTES,
        0,
      );
      return buffer.subarray(0, bytesRead);
    } finally {
      await file.close();
    }
  }

  private filePath(name: string): string {
    return path.join(this.directory, name);
  }
}

function isJournal(found: Stats): boolean {
  return found.isFile() && found.size <= MAX_BYTES;
}

function isForbidden(error: unknown): error is Error {
  return (
    error instanceof Error && 'code' in error && ['EACCES', 'EPERM'].includes(String(error.code))
  );
}

function unlessGone(error: NodeJS.ErrnoException): undefined {
  if (error.code !== 'ENOENT') throw error;
}

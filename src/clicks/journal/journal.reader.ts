import { mkdir, open, readdir, readFile, rename, stat, unlink } from 'node:fs/promises';
import path from 'node:path';
import type { Logger } from '../../common/log';
import { isConsumable, isInherited, syncFolder } from './journal.files';
import {
  type DecodedJournal,
  decodeJournal,
  HEADER_BYTES,
  isReadableVersion,
  JournalVersionError,
  versionOf,
} from './journal.format';

const QUARANTINE = 'quarantine';

/** A journal file that nobody writes to any more. */
export interface JournalFile {
  name: string;
  bytes: number;
  /** When it was last written, in milliseconds since 1970. */
  modifiedMs: number;
}

/** The reading end of the journal's folder: what is complete, what is in it, and its removal. */
export class JournalReader {
  /** Files that were looked into: whether this version can read them. */
  private readonly readable = new Map<string, boolean>();

  constructor(
    private readonly directory: string,
    private readonly logger: Logger,
  ) {}

  /** Sealed files and those of dead writers, oldest first. Files of a later version stay away. */
  async list(): Promise<JournalFile[]> {
    const names = (await this.entries()).filter(isConsumable);
    for (const name of this.readable.keys()) {
      if (!names.includes(name)) this.readable.delete(name);
    }
    const files = await Promise.all(names.map((name) => this.inspect(name)));
    return files
      .filter((file) => file !== undefined)
      .sort((a, b) => a.modifiedMs - b.modifiedMs || (a.name < b.name ? -1 : 1));
  }

  /**
   * Everything sound in a file; undefined when the file is gone.
   * @throws JournalVersionError for a file of a later release
   */
  async read(name: string): Promise<DecodedJournal | undefined> {
    const bytes = await readFile(this.pathOf(name)).catch(unlessGone);
    if (bytes === undefined) return undefined;
    const decoded = decodeJournal(bytes, name);
    const { garbage, tornBytes } = decoded;
    if (garbage > 0) this.logger.error('A journal file holds damaged lines', { name, garbage });
    if (tornBytes > 0)
      this.logger.warn('The torn end of a journal is dropped', { name, tornBytes });
    return decoded;
  }

  /** Keeps a file for a human to look at; moved, since a copy would need room on the disk. */
  async quarantine(name: string): Promise<void> {
    const folder = this.pathOf(QUARANTINE);
    await mkdir(folder, { recursive: true, mode: 0o700 });
    await rename(this.pathOf(name), path.join(folder, name)).catch(unlessGone);
  }

  async remove(name: string): Promise<void> {
    await unlink(this.pathOf(name)).catch(unlessGone);
  }

  /** The files that no process of this run of the service wrote. */
  async inherited(): Promise<string[]> {
    return (await this.entries()).filter(isInherited);
  }

  /**
   * Makes durable what was renamed and removed. A file whose removal the disk forgot with the power
   * would be recorded a second time.
   */
  async sync(): Promise<void> {
    await syncFolder(this.directory);
  }

  private async entries(): Promise<string[]> {
    return (await readdir(this.directory).catch(unlessGone)) ?? [];
  }

  private async inspect(name: string): Promise<JournalFile | undefined> {
    const found = await stat(this.pathOf(name)).catch(unlessGone);
    if (found === undefined || !(await this.isReadable(name))) return undefined;
    return { name, bytes: found.size, modifiedMs: found.mtimeMs };
  }

  private async isReadable(name: string): Promise<boolean> {
    const known = this.readable.get(name);
    if (known !== undefined) return known;
    const version = versionOf(await this.startOf(name));
    // A damaged header is no version: its records still tell by themselves what they are.
    const readable = version === undefined || isReadableVersion(version);
    this.readable.set(name, readable);
    if (!readable) {
      this.logger.error('A journal file of a later version is left alone', {
        reason: new JournalVersionError(version, name).message,
      });
    }
    return readable;
  }

  private async startOf(name: string): Promise<Buffer> {
    const file = await open(this.pathOf(name)).catch(unlessGone);
    if (file === undefined) return Buffer.alloc(0);
    try {
      const { buffer, bytesRead } = await file.read(Buffer.alloc(HEADER_BYTES), 0, HEADER_BYTES, 0);
      return buffer.subarray(0, bytesRead);
    } finally {
      await file.close();
    }
  }

  private pathOf(name: string): string {
    return path.join(this.directory, name);
  }
}

function unlessGone(error: NodeJS.ErrnoException): undefined {
  if (error.code !== 'ENOENT') throw error;
}

import path from 'node:path';
import { JOURNAL_HEADER } from './journal.format';
import type { JournalFiles } from './journal.files';

const HEADER = Buffer.from(JOURNAL_HEADER);

/** A journal file that this process appends to: `<name>.open` until it is sealed. */
export class OpenJournal {
  /** Bytes written so far, the header included. */
  bytes = 0;
  private readonly path: string;
  private closed = false;

  private constructor(
    private readonly files: JournalFiles,
    private readonly directory: string,
    readonly name: string,
    private readonly fd: number,
  ) {
    this.path = OpenJournal.pathOf(directory, name);
  }

  /** Creates the file with its header line; leaves nothing behind when that fails. */
  static create(files: JournalFiles, directory: string, name: string): OpenJournal {
    const journal = new OpenJournal(
      files,
      directory,
      name,
      files.openSync(OpenJournal.pathOf(directory, name)),
    );
    try {
      if (journal.write(HEADER, 0) !== HEADER.length) throw new Error('No room for a header');
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

  /**
   * Closes the file and gives it to the recorder by renaming it, without its last `torn` bytes.
   * Throws when the renaming fails; calling it again then tries that again.
   */
  seal(torn = 0): void {
    if (!this.closed) this.finish(torn);
    this.files.renameSync(this.path, path.join(this.directory, `${this.name}.sealed`));
  }

  private finish(torn: number): void {
    this.closed = true;
    try {
      // Should it fail, the reader drops the torn line by itself.
      if (torn > 0) this.files.truncateSync(this.fd, this.bytes - torn);
    } catch {
      // The descriptor may be the very thing that is broken.
    }
    this.close();
  }

  private remove(): void {
    this.close();
    try {
      this.files.unlinkSync(this.path);
    } catch {
      // A file without records is harmless: the reader finds nothing in it.
    }
  }

  private close(): void {
    try {
      this.files.closeSync(this.fd);
    } catch {
      // What was written stays written, whatever close says.
    }
  }

  private static pathOf(directory: string, name: string): string {
    return path.join(directory, `${name}.open`);
  }
}

import fs from 'node:fs';
import { statfs } from 'node:fs/promises';
import type { DiskSpace } from './journal.space';

/** The file operations of the journal's writer, replaceable so that tests can make them fail. */
export interface JournalFiles {
  openSync(path: string): number;
  writeSync(fd: number, bytes: Buffer, offset: number, length: number): number;
  truncateSync(fd: number, length: number): void;
  closeSync(fd: number): void;
  renameSync(from: string, to: string): void;
  unlinkSync(path: string): void;
  /** What is left of the disk that a folder lies on. */
  space(directory: string): Promise<DiskSpace>;
}

/** The real ones. A journal holds visitors' addresses: only its owner may read it. */
export const journalFiles: JournalFiles = {
  openSync: (path) => fs.openSync(path, 'ax', 0o600),
  writeSync: (fd, bytes, offset, length) => fs.writeSync(fd, bytes, offset, length),
  truncateSync: (fd, length) => fs.ftruncateSync(fd, length),
  closeSync: (fd) => fs.closeSync(fd),
  renameSync: (from, to) => fs.renameSync(from, to),
  unlinkSync: (path) => fs.unlinkSync(path),
  space: async (directory) => {
    const { bsize, blocks, bavail } = await statfs(directory);
    return { size: blocks * bsize, free: bavail * bsize };
  },
};

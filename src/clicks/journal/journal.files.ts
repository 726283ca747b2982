import { randomBytes } from 'node:crypto';
import fs from 'node:fs';
import { statfs } from 'node:fs/promises';
import { isSameProcessAlive, ownProcessIdentity } from '../../runtime/process-identity';
import type { DiskSpace } from './journal.space';

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
  const [, pid, start = '', state] = match;
  if (state === 'sealed') return true;
  const startTime = start === '' ? null : decodeURIComponent(start);
  return !isSameProcessAlive({ pid: Number(pid), startTime });
}

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

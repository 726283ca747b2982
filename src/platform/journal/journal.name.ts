import { randomBytes } from 'node:crypto';
import { isSameProcessAlive, ownProcessIdentity } from '../process/process-identity';

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

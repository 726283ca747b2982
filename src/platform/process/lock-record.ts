import { closeSync, fstatSync, fsyncSync, openSync, readFileSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { isSameProcessAlive, ownProcessIdentity, ProcessIdentity } from './process-identity';

/** A holder on another machine has touched its lock this recently, or is taken for dead. */
const FOREIGN_SILENCE_MS = 10_000;

/** What a lock file says about its holder; `nonce` tells two lives of the same file apart. */
export interface LockRecord extends ProcessIdentity {
  host: string;
  nonce: string;
}

/** A lock file as found; without a holder (null) it does not read as a lock. */
export interface FoundLock {
  nonce: string;
  holder: LockRecord | null;
  held: boolean;
}

/** Writes this process's record to a new file, safe on the disk; returns the open file. */
export function writeLockRecord(path: string, nonce: string): number {
  const record: LockRecord = { ...ownProcessIdentity(), host: hostname(), nonce };
  const file = openSync(path, 'wx', 0o600);
  writeFileSync(file, JSON.stringify(record));
  fsyncSync(file);
  return file;
}

/** Reads a lock file and judges whether its holder still holds it; null when there is none. */
export function findLock(path: string): FoundLock | null {
  let file: number;
  try {
    file = openSync(path, 'r');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw error;
  }
  try {
    const { mtimeMs, ino } = fstatSync(file);
    const holder = parse(readFileSync(file, 'utf8'));
    // Records appear whole, so one that does not parse is the rest of a crash and nobody's.
    if (holder === null) return { nonce: `${ino}-${mtimeMs}`, holder, held: false };
    return { nonce: holder.nonce, holder, held: isHolding(holder, mtimeMs) };
  } finally {
    closeSync(file);
  }
}

function isHolding(holder: LockRecord, touchedAt: number): boolean {
  if (holder.host === hostname()) return isSameProcessAlive(holder);
  return Date.now() - touchedAt < FOREIGN_SILENCE_MS;
}

function parse(text: string): LockRecord | null {
  try {
    const { pid, startTime, host, nonce } = JSON.parse(text) as Record<string, unknown>;
    const timed = startTime === null || typeof startTime === 'string';
    if (typeof pid !== 'number' || !Number.isInteger(pid) || pid < 1 || !timed) return null;
    if (typeof host !== 'string' || typeof nonce !== 'string') return null;
    return /^[0-9a-f]{12}$/.test(nonce) ? { pid, startTime, host, nonce } : null;
  } catch {
    return null;
  }
}

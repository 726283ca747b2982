import { randomBytes } from 'node:crypto';
import {
  closeSync,
  fstatSync,
  fsyncSync,
  futimesSync,
  linkSync,
  openSync,
  readFileSync,
  renameSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs';
import { hostname } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { openRegularSync } from '../common/regular-file';
import { isSameProcessAlive, ownProcessIdentity, ProcessIdentity } from './process-identity';
import { LockHeldError } from './processes.errors';

/** A holder on another machine that has not touched its lock for this long is presumed dead. */
const FOREIGN_SILENCE_MS = 10_000;

/** Content of a lock file. `nonce` distinguishes successive locks at a path. */
export interface LockRecord extends ProcessIdentity {
  host: string;
  nonce: string;
}

/** `holder` is null if the file is not a valid lock. */
export interface FoundLock {
  nonce: string;
  holder: LockRecord | null;
  held: boolean;
}

export function writeLockRecord(path: string, nonce: string): number {
  const record: LockRecord = { ...ownProcessIdentity(), host: hostname(), nonce };
  const file = openSync(path, 'wx', 0o600);
  writeFileSync(file, JSON.stringify(record));
  fsyncSync(file);
  return file;
}

/** Reads a lock file and checks its holder. Returns null if there is no file. */
export function findLock(path: string): FoundLock | null {
  let file: number;
  try {
    file = openRegularSync(path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw error;
  }
  try {
    const { mtimeMs, ino } = fstatSync(file);
    const holder = parse(readFileSync(file, 'utf8'));
    // Records are published atomically, so an unreadable record was left by a crash.
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

const TOUCH_MS = 2_000;
const PROCESS_LOCK_RETRY_MS = 50;

/** Held until `release` or the end of the process. Dead processes' records are ignored. */
export class ProcessLock {
  private readonly touching: NodeJS.Timeout;
  private released = false;

  private constructor(
    readonly path: string,
    private readonly nonce: string,
    private readonly file: number,
  ) {
    this.touching = setInterval(() => this.touch(), TOUCH_MS).unref();
  }

  /**
   * Acquires the lock, and replaces a dead process's lock. To replace a stale record, a
   * process first acquires a lock named after that record, so that only one process succeeds and
   * no new lock is removed.
   * @throws LockHeldError with the holder
   */
  static acquire(path: string): ProcessLock {
    const nonce = randomBytes(6).toString('hex');
    const draft = `${path}.${nonce}.new`;
    const file = writeLockRecord(draft, nonce);
    try {
      while (!publish(draft, path)) {
        const found = findLock(path);
        if (found === null) continue;
        refuseIfHeld(path, found);
        if (replaceStale(draft, path, found)) break;
      }
      return new ProcessLock(path, nonce, file);
    } catch (error) {
      closeSync(file);
      throw error;
    } finally {
      removeLockFile(draft);
    }
  }

  /** Idempotent, and safe after a takeover by another machine. */
  release(): void {
    if (this.released) return;
    this.released = true;
    clearInterval(this.touching);
    closeSync(this.file);
    if (findLock(this.path)?.nonce === this.nonce) removeLockFile(this.path);
  }

  private touch(): void {
    // Touches the open file, because the path may already be another process's lock.
    const now = new Date();
    futimesSync(this.file, now, now);
  }
}

/** @throws LockHeldError if the lock is still held after `waitMs` */
export async function acquireProcessLock(
  path: string,
  { waitMs }: { waitMs: number },
): Promise<ProcessLock> {
  const deadline = performance.now() + waitMs;
  for (;;) {
    try {
      return ProcessLock.acquire(path);
    } catch (error) {
      if (!(error instanceof LockHeldError) || performance.now() >= deadline) throw error;
    }
    await sleep(Math.min(PROCESS_LOCK_RETRY_MS, Math.max(0, deadline - performance.now())));
  }
}

function refuseIfHeld(path: string, { held, holder }: FoundLock): void {
  if (held && holder !== null) throw new LockHeldError(path, holder.pid, holder.host);
}

/** Call while holding the stale record's lock. No living process changes that record. */
function replaceStale(draft: string, path: string, stale: FoundLock): boolean {
  let turn: ProcessLock;
  try {
    turn = ProcessLock.acquire(`${path}.${stale.nonce}`);
  } catch (error) {
    // The process replacing the record counts as the next holder.
    throw error instanceof LockHeldError ? new LockHeldError(path, error.pid, error.host) : error;
  }
  try {
    if (findLock(path)?.nonce !== stale.nonce) return false;
    renameSync(draft, path);
    return true;
  } finally {
    turn.release();
  }
}

/** Publishes the draft atomically. Returns false if a lock exists. */
function publish(draft: string, path: string): boolean {
  try {
    linkSync(draft, path);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  }
}

function removeLockFile(path: string): void {
  try {
    unlinkSync(path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
  }
}

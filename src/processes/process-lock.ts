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

/** Another living process holds the lock. */
export class LockHeldError extends Error {
  constructor(
    readonly path: string,
    readonly pid: number,
    readonly host: string,
  ) {
    super(`${path} is held by process ${pid} on ${host}`);
    this.name = 'LockHeldError';
  }
}

/** A holder on another machine has touched its lock this recently, or is taken for dead. */
const FOREIGN_SILENCE_MS = 10_000;

/** The content of a lock file, about its holder; `nonce` tells two lives of the same file apart. */
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
    file = openRegularSync(path);
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

/** How often a holder shows other machines that it lives. */
const TOUCH_MS = 2_000;
const PROCESS_LOCK_RETRY_MS = 50;

/**
 * A lock file that this process holds until `release`, or until the process ends: a record of a
 * dead process is no lock.
 */
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
   * Takes the lock unless a living process has it; a lock left by a dead one is taken over. The
   * process that replaces a stale record holds a lock named after that very record meanwhile: exactly
   * one of several that find it does, and none removes the lock of the one that was quicker.
   * @throws LockHeldError naming the holder
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

  /** Gives the lock up; harmless when repeated, and when another machine has taken it over. */
  release(): void {
    if (this.released) return;
    this.released = true;
    clearInterval(this.touching);
    closeSync(this.file);
    if (findLock(this.path)?.nonce === this.nonce) removeLockFile(this.path);
  }

  private touch(): void {
    // By the open file, not the path: what stands there may meanwhile be somebody else's.
    const now = new Date();
    futimesSync(this.file, now, now);
  }
}

/**
 * Takes the lock at `path`, waiting up to `waitMs` while another living process holds it.
 * @throws LockHeldError naming the holder's process id
 */
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

/** Under the lock of the stale record itself only its owner, who is dead, could change it. */
function replaceStale(draft: string, path: string, stale: FoundLock): boolean {
  let turn: ProcessLock;
  try {
    turn = ProcessLock.acquire(`${path}.${stale.nonce}`);
  } catch (error) {
    // The process that replaces the record right now is as good as its next holder.
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

/** Makes the draft the lock, whole and at once; false when there is a lock already. */
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

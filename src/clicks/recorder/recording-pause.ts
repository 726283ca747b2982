import { readFile, rm } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { acquireProcessLock, findLock, type FoundLock } from '../../processes/process-lock';
import { replaceFile } from './pending-batch';
import { PauseTimeoutError } from '../clicks.errors';

/** Held by the process that pauses recording; released if that process dies. */
const LOCK = 'backup.lock';
/** The recorder's reply: the nonce of the lock for which it waits. */
const ANSWER = 'recorder-pause';
const PAUSE_POLL_MS = 50;

export function isRecordingPaused(dataDir: string): boolean {
  return findPause(dataDir)?.held === true;
}

/** An unreadable lock, for example of another user, does not pause recording. */
function findPause(dataDir: string): FoundLock | null {
  try {
    return findLock(path.join(dataDir, LOCK));
  } catch {
    return null;
  }
}

/** The recorder's side: checks for a pause before each batch. */
export class RecordingPause {
  private answered = '';

  constructor(private readonly dataDir: string) {}

  /** @param settled resolves when no recording is in progress; then the pause is confirmed */
  async isRequested(settled: () => Promise<void>): Promise<boolean> {
    const lock = findPause(this.dataDir);
    if (lock?.held !== true) return false;
    if (lock.nonce !== this.answered) {
      await settled();
      await replaceFile(path.join(this.dataDir, ANSWER), lock.nonce);
      this.answered = lock.nonce;
    }
    return true;
  }
}

/** The requesting side: recording pauses from the end of `whenPaused` until `end`. */
export class PauseRequest {
  private ended = false;

  private constructor(
    private readonly dataDir: string,
    private readonly lock: { release(): void },
  ) {}

  /** @throws LockHeldError if another process has requested a pause */
  static async ask(dataDir: string): Promise<PauseRequest> {
    const lock = await acquireProcessLock(path.join(dataDir, LOCK), { waitMs: 0 });
    return new PauseRequest(dataDir, lock);
  }

  /** Resolves when the recorder has paused. @throws PauseTimeoutError */
  async whenPaused(timeoutMs: number, signal: AbortSignal): Promise<void> {
    const nonce = findLock(path.join(this.dataDir, LOCK))?.nonce;
    const answer = path.join(this.dataDir, ANSWER);
    for (const end = performance.now() + timeoutMs; performance.now() < end;) {
      if ((await readFile(answer, 'utf8').catch(() => '')) === nonce) return;
      signal.throwIfAborted();
      await sleep(PAUSE_POLL_MS);
    }
    throw new PauseTimeoutError(timeoutMs);
  }

  /** Removes the reply first: once the lock is free, a reply may belong to another process. */
  async end(): Promise<void> {
    if (this.ended) return;
    this.ended = true;
    await rm(path.join(this.dataDir, ANSWER), { force: true }).finally(() => this.lock.release());
  }
}

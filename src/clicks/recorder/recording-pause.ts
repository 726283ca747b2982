import { readFile, rm } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { acquireProcessLock, findLock, type FoundLock } from '../../processes/process-lock';
import { replaceFile } from './pending-batch';
import { PauseTimeoutError } from '../clicks.errors';

/** Lock file of the process that pauses recording; released if that process dies. */
const LOCK = 'backup.lock';
/** File with the recorder's confirmation: the nonce of the lock for which it has paused. */
const ANSWER = 'recorder-pause';
const PAUSE_POLL_MS = 50;

export function isRecordingPaused(dataDir: string): boolean {
  return findPause(dataDir)?.held === true;
}

/** An unreadable lock, such as another user's, does not pause recording. */
function findPause(dataDir: string): FoundLock | null {
  try {
    return findLock(path.join(dataDir, LOCK));
  } catch {
    return null;
  }
}

/** Used by the recorder, which checks for a pause before each batch. */
export class RecordingPause {
  private answered = '';

  constructor(private readonly dataDir: string) {}

  /** @param settled resolves once nothing is being recorded; the pause is then confirmed */
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

/** Used by commands; recording stays paused from the time `whenPaused` resolves until `end`. */
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

  /** Resolves once the recorder has paused. @throws PauseTimeoutError */
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

  /** Removes the confirmation before unlocking. After that, it may belong to another process. */
  async end(): Promise<void> {
    if (this.ended) return;
    this.ended = true;
    await rm(path.join(this.dataDir, ANSWER), { force: true }).finally(() => this.lock.release());
  }
}

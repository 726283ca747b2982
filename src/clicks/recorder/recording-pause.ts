import { readFile, rm } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { acquireProcessLock, findLock, type FoundLock } from '../../processes/process-lock';
import { replaceFile } from './pending-batch';

/** Held by the process for which recording waits; of a dead one it is no lock, and recording goes on. */
const LOCK = 'backup.lock';
/** The recorder's answer: the nonce of the lock for which it waits. */
const ANSWER = 'recorder-pause';
/** Between two looks for the answer. */
const PAUSE_POLL_MS = 50;

/** Whether somebody wants the stored clicks of this folder's service to stand still. */
export function isRecordingPaused(dataDir: string): boolean {
  return findPause(dataDir)?.held === true;
}

/** A lock that cannot be read, another user's for example, keeps no click from being recorded. */
function findPause(dataDir: string): FoundLock | null {
  try {
    return findLock(path.join(dataDir, LOCK));
  } catch {
    return null;
  }
}

/** The recorder's side: looks before each batch whether somebody wants the stored clicks to stand still. */
export class RecordingPause {
  private answered = '';

  constructor(private readonly dataDir: string) {}

  /**
   * Whether recording has to wait now.
   * @param settled resolves when nothing of recording is under way; then the asker is told
   */
  async isAsked(settled: () => Promise<void>): Promise<boolean> {
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

/** The recorder went on for longer than the asker wants to wait. */
export class PauseTimeoutError extends Error {
  constructor(timeoutMs: number) {
    super(`The recorder of the service does not pause within ${timeoutMs / 1000} s`);
    this.name = 'PauseTimeoutError';
  }
}

/** The asker's side: recording waits from the end of `whenPaused` until `end`. */
export class PauseRequest {
  private ended = false;

  private constructor(
    private readonly dataDir: string,
    private readonly lock: { release(): void },
  ) {}

  /** @throws LockHeldError when another process asks already */
  static async ask(dataDir: string): Promise<PauseRequest> {
    const lock = await acquireProcessLock(path.join(dataDir, LOCK), { waitMs: 0 });
    return new PauseRequest(dataDir, lock);
  }

  /**
   * Resolves when the recorder of the running service waits.
   * @throws PauseTimeoutError
   */
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

  /** The answer goes first: once the lock is free, the next one may be somebody else's. */
  async end(): Promise<void> {
    if (this.ended) return;
    this.ended = true;
    await rm(path.join(this.dataDir, ANSWER), { force: true }).finally(() => this.lock.release());
  }
}

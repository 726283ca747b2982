import { join } from 'node:path';
import { PauseRequest } from '../../clicks/recorder/recording-pause';
import { acquireProcessLock, LockHeldError } from '../../processes/process-lock';

/** In which the recorder ends the batch in hand. */
const PAUSE_MS = 60_000;
/** In which the recorder of a service that was killed ends. */
const ORPHAN_MS = 10_000;

export interface PausedService {
  /** DATA_DIR. */
  readonly dir: string;
  /** Whether a service runs on it, whose recorder has to wait. */
  readonly isRunning: boolean;
  readonly signal: AbortSignal;
}

/** @throws Error when another command holds recording up already */
export async function askForPause(dir: string): Promise<PauseRequest> {
  try {
    return await PauseRequest.ask(dir);
  } catch (error) {
    if (!(error instanceof LockHeldError)) throw error;
    throw new Error(`Another backup or copy of ${dir} is at work (process ${error.pid})`, {
      cause: error,
    });
  }
}

/** Recording stands still meanwhile: clicks wait in the journal, redirects go on. */
export async function withRecordingPaused<T>(
  pause: PauseRequest,
  { dir, isRunning, signal }: PausedService,
  work: () => Promise<T>,
): Promise<T> {
  if (isRunning) {
    await pause.whenPaused(PAUSE_MS, signal);
    return work();
  }
  const lock = await acquireProcessLock(join(dir, 'recorder.lock'), { waitMs: ORPHAN_MS });
  try {
    return await work();
  } finally {
    lock.release();
  }
}

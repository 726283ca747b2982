import { join } from 'node:path';
import { PauseRequest } from '../../clicks/recorder/recording-pause';
import { acquireProcessLock } from '../../processes/process-lock';
import { LockHeldError } from '../../processes/processes.errors';

/** Time for the recorder to finish its current batch. */
const PAUSE_MS = 60_000;
/** Time for a killed service's recorder to exit. */
const ORPHAN_MS = 10_000;

export interface PausedService {
  /** DATA_DIR. */
  readonly dir: string;
  /** Whether a service is running whose recorder must be paused. */
  readonly isRunning: boolean;
  readonly signal: AbortSignal;
}

/** @throws Error if another command has paused recording */
export async function askForPause(dir: string): Promise<PauseRequest> {
  try {
    return await PauseRequest.ask(dir);
  } catch (error) {
    if (!(error instanceof LockHeldError)) throw error;
    throw new Error(`Another backup or copy of ${dir} is running (process ${error.pid})`, {
      cause: error,
    });
  }
}

/** During the pause, redirects continue and their clicks wait in the journal. */
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

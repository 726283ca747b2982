import { setImmediate as turn } from 'node:timers/promises';

/** Longest stretch of work between two turns of the event loop. */
const MAX_WORK_MS = 50;

/** Splits long work, so that timers and other requests of the process get their turns meanwhile. */
export class EventLoopPauses {
  private begun = performance.now();

  /** Waits for a turn of the event loop when the last one is long ago. */
  async whenDue(): Promise<void> {
    if (performance.now() - this.begun < MAX_WORK_MS) return;
    await turn();
    this.begun = performance.now();
  }
}

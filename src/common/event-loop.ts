import { setImmediate as turn } from 'node:timers/promises';

const MAX_WORK_MS = 50;

/** Splits long work, so that timers and other requests can run in between. */
export class EventLoopPauses {
  private begun = performance.now();

  async whenDue(): Promise<void> {
    if (performance.now() - this.begun < MAX_WORK_MS) return;
    await turn();
    this.begun = performance.now();
  }
}

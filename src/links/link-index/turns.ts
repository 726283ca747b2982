import { setImmediate as turn } from 'node:timers/promises';

/** Long work goes on for so long before redirects have their turn. */
const HELD_MS = 5;

/** How long a piece of work has held the event loop, and its way to let others have a turn. */
export class Turns {
  private begun = performance.now();

  /** True when others have waited long enough; to be asked every some ten thousand steps. */
  get due(): boolean {
    return performance.now() - this.begun > HELD_MS;
  }

  async next(): Promise<void> {
    await turn();
    this.begun = performance.now();
  }
}

import { setImmediate as turn } from 'node:timers/promises';

/** How long work may block the event loop before it yields to redirects. */
const HELD_MS = 5;

export class Turns {
  private begun = performance.now();

  /** Whether to yield now. Check about every 10,000 steps. */
  get due(): boolean {
    return performance.now() - this.begun > HELD_MS;
  }

  async next(): Promise<void> {
    await turn();
    this.begun = performance.now();
  }
}

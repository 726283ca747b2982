import { setImmediate as turn } from 'node:timers/promises';

/** How long work may block the event loop before redirects get a turn. */
const HELD_MS = 5;

export class Turns {
  private begun = performance.now();

  /** Whether to yield now; check about every ten thousand steps. */
  get due(): boolean {
    return performance.now() - this.begun > HELD_MS;
  }

  async next(): Promise<void> {
    await turn();
    this.begun = performance.now();
  }
}

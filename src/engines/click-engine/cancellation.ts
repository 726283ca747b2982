import { CancelledError } from './engine.errors';

/**
 * A flag that two threads see: who asks sets it, who counts looks at it between its steps, which
 * take a fraction of a second each. A message would wait until the counting is over.
 */
export class Cancellation {
  private readonly controller = new AbortController();

  constructor(readonly flag: Int32Array = new Int32Array(new SharedArrayBuffer(4))) {}

  cancel(): void {
    Atomics.store(this.flag, 0, 1);
    this.controller.abort();
  }

  /** Aborted by `cancel` of this very object: for what waits in this thread. */
  get signal(): AbortSignal {
    return this.controller.signal;
  }

  get isCancelled(): boolean {
    return Atomics.load(this.flag, 0) === 1;
  }

  /** Throws CancelledError once the flag is set. */
  check(): void {
    if (this.isCancelled) throw new CancelledError();
  }
}

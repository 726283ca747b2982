import { CancelledError } from './engine.errors';

/**
 * A flag that two threads see: who asks sets it, who counts looks at it between its steps, which
 * take a fraction of a second each. A message would wait until the counting is over.
 */
export class Cancellation {
  constructor(readonly flag: Int32Array = new Int32Array(new SharedArrayBuffer(4))) {}

  cancel(): void {
    Atomics.store(this.flag, 0, 1);
  }

  get isCancelled(): boolean {
    return Atomics.load(this.flag, 0) === 1;
  }

  /** Throws CancelledError once the flag is set. */
  check(): void {
    if (this.isCancelled) throw new CancelledError();
  }
}

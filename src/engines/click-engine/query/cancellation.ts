import { CancelledError } from '../chunk/engine.errors';

/** A flag that is polled during counting, because a busy thread receives no messages. */
export class Cancellation {
  private readonly controller = new AbortController();

  constructor(readonly flag: Int32Array = new Int32Array(new SharedArrayBuffer(4))) {}

  cancel(): void {
    Atomics.store(this.flag, 0, 1);
    this.controller.abort();
  }

  /** Aborted only by `cancel` on this object; use it to wait in this thread. */
  get signal(): AbortSignal {
    return this.controller.signal;
  }

  get isCancelled(): boolean {
    return Atomics.load(this.flag, 0) === 1;
  }

  check(): void {
    if (this.isCancelled) throw new CancelledError();
  }
}

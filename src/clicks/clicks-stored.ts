import { withTimeout } from '../common/with-timeout';
import type { Logger } from '../common/log';

export interface ClicksStored {
  /** Identifies the batch. A repeated batch has the same id. */
  batch: { node: string; number: number };
  /** Number of clicks by link id. */
  links: ReadonlyMap<string, number>;
  clicks: number;
  /** Time taken to move the clicks from the journal to the database. */
  durationMs: number;
}

export interface ClicksStoredListener {
  readonly name: string;
  /** Receives one event at a time. The signal aborts on timeout, or when the process ends. */
  onClicksStored(event: ClicksStored, signal: AbortSignal): void | Promise<void>;
}

const WAITING_EVENTS = 32;
const LISTENER_TIMEOUT_MS = 60_000;
const LISTENER_STOP_MS = 1000;

/**
 * Notifies listeners of stored clicks without delaying the next batch. Each listener has a queue
 * that drops its oldest event when full. Events may be lost, or repeated after a crash; a listener
 * that needs every click must read the click stores.
 */
export class ClicksStoredEvents {
  private readonly subscriptions: Subscription[] = [];

  constructor(
    private readonly log: Logger,
    private readonly timeoutMs = LISTENER_TIMEOUT_MS,
  ) {}

  subscribe(listener: ClicksStoredListener): void {
    this.subscriptions.push(new Subscription(listener, this.log, this.timeoutMs));
  }

  emit(event: ClicksStored): void {
    for (const subscription of this.subscriptions) subscription.push(event);
  }

  async settled(): Promise<void> {
    await Promise.all(this.subscriptions.map((subscription) => subscription.settled()));
  }

  /** Aborts running listeners, clears their queues, and waits briefly for the listeners to end. */
  async stop(): Promise<void> {
    const ended = Promise.all(this.subscriptions.map((subscription) => subscription.stop()));
    await withTimeout(ended, LISTENER_STOP_MS, () => undefined);
  }
}

class Subscription {
  private readonly stopping = new AbortController();
  private waiting: ClicksStored[] = [];
  private missed = 0;
  private running: Promise<void> | undefined;

  constructor(
    private readonly listener: ClicksStoredListener,
    private readonly log: Logger,
    private readonly timeoutMs: number,
  ) {}

  push(event: ClicksStored): void {
    if (this.stopping.signal.aborted) return;
    this.waiting.push(event);
    if (this.waiting.length > WAITING_EVENTS) this.miss();
    this.running ??= this.run();
  }

  async settled(): Promise<void> {
    await this.running;
  }

  async stop(): Promise<void> {
    this.waiting = [];
    this.stopping.abort();
    await this.running;
  }

  private miss(): void {
    this.waiting.shift();
    if (this.missed === 0) {
      this.log.warn('A listener for recorded clicks is too slow and is missing events', this.who());
    }
    this.missed += 1;
  }

  private async run(): Promise<void> {
    // Waits for the next turn, so that no listener runs within the call that emits the event.
    await new Promise(setImmediate);
    for (let event = this.waiting.shift(); event !== undefined; event = this.waiting.shift()) {
      await this.call(event);
    }
    if (this.missed > 0) {
      this.log.info('A listener for recorded clicks has caught up', {
        ...this.who(),
        missed: this.missed,
      });
    }
    this.missed = 0;
    this.running = undefined;
  }

  /** Settles when the listener settles, even after the timeout, so that calls never overlap. */
  private async call(event: ClicksStored): Promise<void> {
    const overdue = new AbortController();
    const timer = setTimeout(() => {
      this.log.warn('A listener for recorded clicks took too long', this.who());
      overdue.abort();
    }, this.timeoutMs);
    timer.unref();
    try {
      const signal = AbortSignal.any([overdue.signal, this.stopping.signal]);
      await this.listener.onClicksStored(event, signal);
    } catch (error) {
      this.log.error('A listener for recorded clicks failed', { ...this.who(), err: error });
    } finally {
      clearTimeout(timer);
    }
  }

  private who(): { listener: string } {
    return { listener: this.listener.name };
  }
}

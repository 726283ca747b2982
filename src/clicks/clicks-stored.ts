import { withTimeout } from '../common/with-timeout';
import type { Logger } from '../common/log';

/** Clicks of one batch that the database has acknowledged. */
export interface ClicksStored {
  /** Which batch: an installation's node and its number, the same when it is repeated. */
  batch: { node: string; number: number };
  /** How many clicks each link got, by the link's id. */
  links: ReadonlyMap<string, number>;
  /** How many clicks these are together. */
  clicks: number;
  /** How long the batch took, from the journal to the database. */
  durationMs: number;
}

/** A consumer of recorded clicks, such as a webhook or a notification. */
export interface ClicksStoredListener {
  /** For the log. */
  readonly name: string;
  /**
   * Called with one event at a time. A listener that works for long watches the signal: it is
   * aborted when the time is over or the process ends.
   */
  onClicksStored(event: ClicksStored, signal: AbortSignal): void | Promise<void>;
}

const WAITING_EVENTS = 32;
const LISTENER_TIMEOUT_MS = 60_000;
const LISTENER_STOP_MS = 1000;

/**
 * Tells listeners of recorded clicks, beside recording: nothing that a listener does, or does not,
 * delays a batch or makes it fail. Each has a queue of its own, in which the oldest event gives way
 * when it is full. So an event may be missed, and also when the process is killed; after a crash
 * it may come a second time, under the same batch. A consumer that needs every click reads the
 * click store.
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

  /** Returns at once. */
  emit(event: ClicksStored): void {
    for (const subscription of this.subscriptions) subscription.push(event);
  }

  /** Resolves when every listener is done with what it has been told. */
  async settled(): Promise<void> {
    await Promise.all(this.subscriptions.map((subscription) => subscription.settled()));
  }

  /** Aborts what is under way, forgets what waits, and gives listeners a moment to end. */
  async stop(): Promise<void> {
    const ended = Promise.all(this.subscriptions.map((subscription) => subscription.stop()));
    await withTimeout(ended, LISTENER_STOP_MS, () => undefined);
  }
}

/** One listener with what waits for it. */
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
      this.log.warn('A listener is too slow and misses recorded clicks', this.who());
    }
    this.missed += 1;
  }

  private async run(): Promise<void> {
    // In a later turn: what emits is never in the middle of something because of a listener.
    await new Promise(setImmediate);
    for (let event = this.waiting.shift(); event !== undefined; event = this.waiting.shift()) {
      await this.call(event);
    }
    if (this.missed > 0) {
      this.log.info('A listener keeps up again', { ...this.who(), missed: this.missed });
    }
    this.missed = 0;
    this.running = undefined;
  }

  /**
   * Resolves when the listener has settled. One that goes on after its time is not called again
   * until then: a listener never runs twice at once, and only its own events are missed.
   */
  private async call(event: ClicksStored): Promise<void> {
    const overdue = new AbortController();
    const timer = setTimeout(() => {
      this.log.warn('A listener of recorded clicks takes too long', this.who());
      overdue.abort();
    }, this.timeoutMs);
    timer.unref();
    try {
      const signal = AbortSignal.any([overdue.signal, this.stopping.signal]);
      await this.listener.onClicksStored(event, signal);
    } catch (error) {
      this.log.error('A listener of recorded clicks failed', { ...this.who(), err: error });
    } finally {
      clearTimeout(timer);
    }
  }

  private who(): { listener: string } {
    return { listener: this.listener.name };
  }
}

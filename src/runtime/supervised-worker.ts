import cluster, { type Worker } from 'node:cluster';
import { setTimeout as sleep } from 'node:timers/promises';
import type { AppLog } from '../common/log';
import { type Runtime, runtimeEnvironment } from '../config/environment';
import { Backoff, type BackoffOptions } from './child-process/backoff';
import type { ProcessLogger } from './child-process/child-messages';
import { WorkerFailedError } from './start-error';
import { READY, STOP } from './worker';

export interface SupervisedWorkerOptions {
  fork: () => Worker;
  log: ProcessLogger;
  /** A worker that is not ready after this time hangs and is killed. */
  startMs?: number;
  backoff?: BackoffOptions;
}

const START_MS = 60_000;
const BACKOFF: BackoffOptions = { firstMs: 200, ceilingMs: 10_000, steadyMs: 30_000 };
/** Workers that were killed or hung before the first one got ready, after which a start fails. */
const FIRST_START_TRIES = 3;

/** A place for one web worker: whoever sits there is replaced when it ends, for good. */
export class SupervisedWorker {
  private readonly backoff: Backoff;
  private worker?: Worker;
  private timer?: NodeJS.Timeout;
  private everReady = false;
  private stopped = false;
  private failures = 0;
  private settle?: { resolve: () => void; reject: (error: Error) => void };

  constructor(private readonly options: SupervisedWorkerOptions) {
    this.backoff = new Backoff(options.backoff ?? BACKOFF);
  }

  /**
   * Resolves when the first worker serves.
   * @throws WorkerFailedError when it ends by itself, or is killed or hangs again and again
   */
  start(): Promise<void> {
    return new Promise((resolve, reject) => {
      this.settle = { resolve, reject };
      this.fork();
    });
  }

  /** Has the worker answer what is in flight and end; kills it after the time. */
  async stop(timeoutMs: number): Promise<void> {
    this.stopped = true;
    clearTimeout(this.timer);
    const { worker } = this;
    if (worker === undefined) return;
    const ended = new Promise<void>((resolve) => worker.once('exit', () => resolve()));
    worker.send(STOP, () => undefined);
    await Promise.race([ended, sleep(timeoutMs, undefined, { ref: false })]);
    if (!worker.isDead()) worker.process.kill('SIGKILL');
    await ended;
  }

  private fork(): void {
    const worker = this.options.fork();
    this.worker = worker;
    const bornAt = performance.now();
    const deadline = setTimeout(() => {
      this.options.log.error('A worker process hangs at its start and is killed');
      worker.process.kill('SIGKILL');
    }, this.options.startMs ?? START_MS);
    worker.on('message', (message: unknown) => {
      if (message !== READY) return;
      clearTimeout(deadline);
      this.everReady = true;
      this.settle?.resolve();
    });
    worker.once('exit', (code, signal: string | null) => {
      clearTimeout(deadline);
      this.worker = undefined;
      const reason = signal === null ? `exit code ${code}` : `signal ${signal}`;
      this.vacated(reason, signal !== null, performance.now() - bornAt);
    });
  }

  private vacated(reason: string, killed: boolean, livedMs: number): void {
    if (this.stopped) return;
    this.failures += 1;
    // One that ends by itself has said why, and another one would do the same.
    if (!this.everReady && (!killed || this.failures >= FIRST_START_TRIES)) {
      this.stopped = true;
      this.settle?.reject(new WorkerFailedError(reason));
      return;
    }
    const wait = this.backoff.next(livedMs);
    this.options.log.error('A worker process ended and is replaced', { reason, wait });
    this.timer = setTimeout(() => this.fork(), wait);
  }
}

/** The web workers of a primary with WEB_CONCURRENCY > 1: they share the port. */
export class Workers {
  private readonly seats: SupervisedWorker[];

  constructor(count: number, runtime: Runtime, log: AppLog) {
    // Each worker takes connections from the shared socket by itself: one that the primary hands to
    // a worker which was just killed would hang for ever.
    cluster.schedulingPolicy = cluster.SCHED_NONE;
    const fork = () => cluster.fork(runtimeEnvironment(runtime));
    this.seats = Array.from({ length: count }, () => new SupervisedWorker({ fork, log }));
  }

  /** Resolves when all of them serve; rejects when one of them cannot start. */
  async start(): Promise<void> {
    await Promise.all(this.seats.map((seat) => seat.start()));
  }

  /** Ends all of them, at the latest after the time. */
  async stop(timeoutMs: number): Promise<void> {
    await Promise.all(this.seats.map((seat) => seat.stop(timeoutMs)));
  }
}

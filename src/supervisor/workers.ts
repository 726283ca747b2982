import cluster from 'node:cluster';
import { runtimeEnvironment, type Runtime } from '../config/environment';
import type { AppLog } from '../core/log';
import { SupervisedWorker } from './worker-seat';

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

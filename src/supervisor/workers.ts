import cluster, { type Worker } from 'node:cluster';
import { setTimeout as sleep } from 'node:timers/promises';
import { runtimeEnvironment, type Runtime } from '../config/environment';
import type { AppLog } from '../core/log';

const RESTART_MS = 500;
const READY = 'curtail:ready';
const STOP = 'curtail:stop';

/** The web workers of a primary with WEB_CONCURRENCY > 1: started, replaced, stopped. */
export class Workers {
  private stopping = false;

  constructor(
    private readonly count: number,
    private readonly runtime: Runtime,
    private readonly log: AppLog,
  ) {}

  /** Resolves when all of them serve; rejects when one of them cannot start. */
  async start(): Promise<void> {
    await Promise.all(Array.from({ length: this.count }, () => this.startOne()));
    cluster.on(
      'exit',
      (worker, code, signal) => void this.replace(worker, signal || `exit code ${code}`),
    );
  }

  /** Asks every worker to answer what is in flight and end; kills what is left after the time. */
  async stop(timeoutMs: number): Promise<void> {
    this.stopping = true;
    const workers = Object.values(cluster.workers ?? {}).filter((w) => w !== undefined);
    await Promise.all(workers.map((worker) => stopOne(worker, timeoutMs)));
  }

  private startOne(): Promise<void> {
    const worker = cluster.fork(runtimeEnvironment(this.runtime));
    return new Promise((resolve, reject) => {
      worker.on('message', (message: unknown) => {
        if (message === READY) resolve();
      });
      worker.once('exit', () => reject(new Error('A worker process ended at its start')));
    });
  }

  private async replace(worker: Worker, reason: string): Promise<void> {
    if (this.isStopping()) return;
    this.log.error('A worker process ended and is replaced', { worker: worker.id, reason });
    await sleep(RESTART_MS);
    if (!this.isStopping()) await this.startOne().catch(() => undefined);
  }

  private isStopping(): boolean {
    return this.stopping;
  }
}

async function stopOne(worker: Worker, timeoutMs: number): Promise<void> {
  const ended = new Promise<'ended'>((resolve) => worker.once('exit', () => resolve('ended')));
  if (!worker.send(STOP, () => undefined) && worker.isDead()) return;
  const outcome = await Promise.race([ended, sleep(timeoutMs, 'late' as const, { ref: false })]);
  if (outcome === 'late') worker.process.kill('SIGKILL');
}

/** The worker's side: says when it serves, stops when told to or when the primary is gone. */
export function serveWorkers(stop: () => Promise<void>): void {
  process.on('message', (message) => {
    if (message === STOP) void stop().finally(() => process.exit(0));
  });
  // Without its primary nobody shares the port or mends the database: what is journalled is safe.
  process.on('disconnect', () => process.exit(1));
  process.send?.(READY);
}

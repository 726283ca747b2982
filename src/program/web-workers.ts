import cluster from 'node:cluster';
import { runtimeEnvironment } from '../config/environment';
import type { Runtime } from '../config/options';
import type { BackoffOptions } from '../processes/child-process/backoff';
import type { ProcessLogger } from '../processes/child-process/parent-channel';
import type { ChildServer, Launch } from '../processes/child-process/child-run';
import { SupervisedChild } from '../processes/child-process/supervised-child';
import type { WebCalls } from '../processes/rpc/primary-calls';

/** Slow machines need minutes. A worker whose event loop is blocked is replaced earlier. */
const START_MS = 300_000;
/** A worker that does not respond for this long is restarted; short, because visitors wait. */
const WORKER_SILENT_MS = 10_000;
const BACKOFF: BackoffOptions = { firstMs: 200, ceilingMs: 10_000, steadyMs: 30_000 };
/** Startup fails after this many workers have died before the first is ready. */
const WORKER_START_TRIES = 3;

export interface WebWorkerOptions {
  fork: Launch;
  logger: ProcessLogger;
  server?: ChildServer<WebCalls>;
  startMs?: number;
  backoff?: BackoffOptions;
}

export function webWorker(options: WebWorkerOptions): SupervisedChild<WebCalls> {
  const { fork, startMs = START_MS, backoff = BACKOFF, ...others } = options;
  return new SupervisedChild({
    ...others,
    name: 'web worker',
    prepare: () => fork,
    startMs,
    silentMs: WORKER_SILENT_MS,
    backoff,
    firstStartTries: WORKER_START_TRIES,
    firstExitIsFinal: true,
  });
}

export class WebWorkers {
  private readonly workers: SupervisedChild<WebCalls>[];

  constructor(
    count: number,
    runtime: Runtime,
    server: ChildServer<WebCalls>,
    logger: ProcessLogger,
  ) {
    // Workers accept connections themselves: one handed to a worker that is then killed would hang.
    cluster.schedulingPolicy = cluster.SCHED_NONE;
    const fork: Launch = () => cluster.fork(runtimeEnvironment(runtime)).process;
    this.workers = Array.from({ length: count }, () => webWorker({ fork, server, logger }));
  }

  async start(): Promise<void> {
    await Promise.all(this.workers.map((worker) => worker.start()));
  }

  async stop(timeoutMs: number): Promise<void> {
    await Promise.all(this.workers.map((worker) => worker.stop(timeoutMs)));
  }
}

import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { statisticsEnvironment } from '../config/environment';
import type { Settings } from '../config/settings';
import type { AppLog } from '../common/log';
import { setNiceness, spawning } from '../processes/child-process/child-run';
import { SupervisedChild } from '../processes/child-process/supervised-child';
import type { StatisticsCalls } from '../analytics/engine/statistics-engine';
import { primaryHandlers } from '../processes/rpc/primary-client';
import {
  RpcError,
  type RpcCaller,
  type RpcRequest,
  type RpcResponse,
  type Topic,
} from '../processes/rpc/rpc';
import type { RpcHub } from '../processes/rpc/rpc-hub';
import { withTimeout } from '../common/with-timeout';

/** Lower priority than redirects and the recorder; applied once the process has started. */
const STATISTICS_NICENESS = 10;
/** At most one per core; more than four threads do not help, because database reads dominate. */
const MAX_THREADS = 4;
/** The heap contains labels; if it exceeds the limit, the process ends and is restarted. */
const MIN_HEAP_MB = 512;
const STATISTICS_START_MS = 30_000;
/** Timeout for a call; longer than the time limits for waiting and for queries. */
const STATISTICS_CALL_MS = 110_000;

type Child = SupervisedChild<StatisticsCalls>;

/** The statistics process. To save memory, it starts with the first query and keeps running. */
export class StatisticsChild {
  private child?: Child;
  private up?: Promise<Child>;
  private stopped = false;

  constructor(private readonly make: () => Child) {}

  /** Starts the process if necessary. @throws RpcError if it does not respond */
  async call<T extends Topic<StatisticsCalls>>(
    topic: T,
    request: RpcRequest<StatisticsCalls, T>,
    timeoutMs = STATISTICS_CALL_MS,
  ): Promise<RpcResponse<StatisticsCalls, T>> {
    const child = await inTime(this.running(), topic);
    return child.call(topic, request, timeoutMs);
  }

  /** Undefined if the process has not been started. */
  async callIfUp<T extends Topic<StatisticsCalls>>(
    topic: T,
    request: RpcRequest<StatisticsCalls, T>,
    timeoutMs: number,
  ): Promise<RpcResponse<StatisticsCalls, T> | undefined> {
    return this.child?.call(topic, request, timeoutMs);
  }

  async stop(timeoutMs: number): Promise<void> {
    this.stopped = true;
    await this.child?.stop(timeoutMs);
  }

  private running(): Promise<Child> {
    if (this.stopped) return Promise.reject(gone('start', 'it is being stopped'));
    this.up ??= this.start();
    return this.up;
  }

  private start(): Promise<Child> {
    const child = this.make();
    this.child = child;
    const isUp = (): Promise<Child> =>
      new Promise((resolve) =>
        child.once('up', () => {
          resolve(child);
        }),
      );
    child.on('up', () => {
      if (child.pid !== undefined) setNiceness(child.pid, STATISTICS_NICENESS);
    });
    child.on('down', () => {
      this.up = isUp();
    });
    const started = child.start().then(() => child);
    // If startup fails, the next query retries it.
    started.catch(() => {
      this.child = undefined;
      this.up = undefined;
    });
    return started;
  }
}

export function serveStatistics(statistics: StatisticsChild, hub: RpcHub | null): void {
  const callers = new Map<string, RpcCaller>();
  const relayed = async <T extends 'count' | 'report' | 'open'>(
    topic: T,
    request: RpcRequest<StatisticsCalls, T>,
    caller: RpcCaller,
  ): Promise<RpcResponse<StatisticsCalls, T>> => {
    const { call } = request as { call: string };
    callers.set(call, caller);
    try {
      return await statistics.call(topic, request);
    } finally {
      callers.delete(call);
    }
  };
  const cancel = async (call: string): Promise<undefined> => {
    await statistics.callIfUp('cancel', { call }, STATISTICS_CALL_MS).catch(() => undefined);
    return undefined;
  };
  primaryHandlers
    .handle('statistics.count', (request, caller) => relayed('count', request, caller))
    .handle('statistics.report', async (request, caller) => {
      const report = await relayed('report', request, caller);
      // Converted to a string, because channels to workers transfer JSON.
      return caller === undefined ? report : { ...report, lists: listsText(report.lists) };
    })
    .handle('statistics.open', (request, caller) => relayed('open', request, caller))
    .handle('statistics.rows', (request) => statistics.call('rows', request))
    .handle('statistics.release', async (request) => {
      await statistics.callIfUp('release', request, STATISTICS_CALL_MS).catch(() => undefined);
      return undefined;
    })
    .handle('statistics.cancel', ({ call }) => cancel(call));
  hub?.onExit((worker) => {
    for (const [call, caller] of callers) if (caller === worker) void cancel(call);
  });
}

export function statisticsChild(settings: Settings, mongoUri: string, log: AppLog): Child {
  const { memoryMb } = settings.statistics;
  const threads = Math.min(availableParallelism(), MAX_THREADS);
  const env = statisticsEnvironment({
    mongoUri,
    memoryMb,
    threads,
    clickHouse: settings.clickHouse,
  });
  const script = join(__dirname, '..', 'analytics', 'statistics-process', 'statistics.process.js');
  return new SupervisedChild({
    name: 'statistics',
    logger: log,
    prepare: () =>
      spawning({
        command: process.execPath,
        args: [`--max-old-space-size=${Math.max(MIN_HEAP_MB, memoryMb)}`, script],
        env,
        serialization: 'advanced',
      }),
  });
}

function listsText(lists: Uint8Array | string): string {
  return typeof lists === 'string' ? lists : Buffer.from(lists).toString();
}

async function inTime(starting: Promise<Child>, topic: string): Promise<Child> {
  try {
    return await withTimeout(starting, STATISTICS_START_MS, () => {
      throw gone(topic, 'it has not restarted yet');
    });
  } catch (error) {
    throw error instanceof RpcError ? error : gone(topic, String(error));
  }
}

function gone(topic: string, reason: string): RpcError {
  return new RpcError('statistics', topic, 'gone', reason);
}

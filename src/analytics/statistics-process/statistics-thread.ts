import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { DatabaseUnavailableError } from '../../common/errors';
import type { StatisticsSettings } from '../../config/environment.schema';
import type { CountingCalls } from '../statistics.calls';
import {
  RpcChannel,
  RpcError,
  type RpcRequest,
  type RpcResponse,
  threadTransport,
  type Topic,
} from '../../processes/rpc/rpc';
import { Cancellation } from '../../click-engine/cancellation';
import { StatisticsBusyError, StatisticsFailedError } from './statistics.errors';

/** A cancelled query ends between two steps; a thread that does not end it is ended itself. */
const CANCEL_MS = 10_000;
/** Longer than the queue lets anything run, so that the time limit only catches a thread that hangs. */
const CALL_MS = 120_000;
/** Clicks are saved at a gigabyte a second or so; the parent waits little longer. */
const SAVE_MS = 4000;
/** Labels live in the heap of the thread; beyond this, or the budget, it ends, not the process. */
const LEAST_HEAP_MB = 512;

interface RunningThread {
  worker: Worker;
  channel: RpcChannel<CountingCalls>;
}

/** What is counted, and can be cancelled meanwhile. */
type Countable = 'count' | 'report' | 'open';

/**
 * The worker thread that counts, started with the first query and anew after it has died. Whatever
 * goes wrong there is an error here: 503 when the database is away or the counting was cancelled,
 * else 500.
 */
export class StatisticsThread {
  private running: RunningThread | undefined;

  constructor(private readonly settings: StatisticsSettings) {}

  /** Settles when the thread is done with it, also after the signal has cancelled it. */
  async count<T extends Countable>(
    topic: T,
    request: Omit<RpcRequest<CountingCalls, T>, 'cancelled'>,
    signal?: AbortSignal,
  ): Promise<RpcResponse<CountingCalls, T>> {
    const { worker } = (this.running ??= this.begin());
    const cancellation = new Cancellation();
    let timer: NodeJS.Timeout | undefined;
    const cancel = (): void => {
      cancellation.cancel();
      timer = setTimeout(() => void worker.terminate(), CANCEL_MS).unref();
    };
    if (signal?.aborted === true) cancel();
    else signal?.addEventListener('abort', cancel, { once: true });
    try {
      const cancellable = { ...request, cancelled: cancellation.flag };
      return await this.call(topic, cancellable as RpcRequest<CountingCalls, T>);
    } finally {
      signal?.removeEventListener('abort', cancel);
      clearTimeout(timer);
    }
  }

  async call<T extends Topic<CountingCalls>>(
    topic: T,
    request: RpcRequest<CountingCalls, T>,
  ): Promise<RpcResponse<CountingCalls, T>> {
    const { channel } = (this.running ??= this.begin());
    try {
      return await channel.call(topic, request, CALL_MS);
    } catch (error) {
      throw errorOf(error);
    }
  }

  /** Resolves when it answers. */
  async start(): Promise<void> {
    await this.call('heldBytes', null);
  }

  /** Memory of the clicks that are held for further questions. */
  async heldBytes(): Promise<number> {
    return this.running === undefined ? 0 : this.call('heldBytes', null);
  }

  /** Ends it, once the clicks that it holds are saved for the next process or the time is over. */
  async close(): Promise<void> {
    // Nothing is held by a thread that was never asked or has died.
    await this.running?.channel.call('save', null, SAVE_MS).catch(() => undefined);
    await this.stop();
  }

  /** Ends it at once. */
  async stop(): Promise<void> {
    await this.running?.worker.terminate();
  }

  private begin(): RunningThread {
    const worker = new Worker(join(__dirname, 'statistics.worker.js'), {
      workerData: this.settings,
      resourceLimits: { maxOldGenerationSizeMb: Math.max(LEAST_HEAP_MB, this.settings.memoryMb) },
    });
    // It must not keep the program from ending.
    worker.unref();
    const channel = new RpcChannel<CountingCalls>('statistics', threadTransport(worker));
    const running = { worker, channel };
    const end = (reason: string): void => {
      if (this.running === running) this.running = undefined;
      channel.close(reason);
    };
    worker.on('error', (error) => end(error.message));
    worker.on('exit', () => end('the statistics thread has ended'));
    return running;
  }
}

function errorOf(error: unknown): unknown {
  if (!(error instanceof RpcError)) return error;
  if (error.code === 'database') return new DatabaseUnavailableError(error);
  if (error.code === 'busy' || error.kind === 'timeout') return new StatisticsBusyError();
  return new StatisticsFailedError(error);
}

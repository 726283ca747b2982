import { join } from 'node:path';
import { DatabaseUnavailableError } from '../../common/errors';
import type { StatisticsSettings } from '../../config/environment.schema';
import type { CountingCalls } from '../statistics.calls';
import { RpcError, type RpcRequest, type RpcResponse, type Topic } from '../../processes/rpc/rpc';
import { WorkerThread } from '../../processes/worker-thread';
import { Cancellation } from '../../click-engine/cancellation';
import { StatisticsBusyError, StatisticsFailedError } from './statistics.errors';

/** A cancelled query ends between two steps; a thread that does not end it is ended itself. */
const CANCEL_MS = 10_000;
/** Longer than the queue lets anything run, so that the time limit only catches a thread that hangs. */
const CALL_MS = 120_000;
/** Clicks are saved at a gigabyte a second or so; the parent waits little longer. */
const SAVE_MS = 4000;
/** Labels live in the heap of the thread; beyond this, or the budget, it ends, not the process. */
const MIN_HEAP_MB = 512;

/** What is counted, and can be cancelled meanwhile. */
type Countable = 'count' | 'report' | 'open';

/**
 * The worker thread that counts. Whatever goes wrong there is an error here: 503 when the database
 * is away or the counting was cancelled, else 500.
 */
export class StatisticsThread {
  private readonly thread: WorkerThread<CountingCalls>;

  constructor(settings: StatisticsSettings) {
    this.thread = new WorkerThread({
      name: 'statistics',
      script: join(__dirname, 'statistics.worker.js'),
      workerData: settings,
      resourceLimits: { maxOldGenerationSizeMb: Math.max(MIN_HEAP_MB, settings.memoryMb) },
    });
  }

  /** Settles when the thread is done with it, also after the signal has cancelled it. */
  async count<T extends Countable>(
    topic: T,
    request: Omit<RpcRequest<CountingCalls, T>, 'cancelled'>,
    signal?: AbortSignal,
  ): Promise<RpcResponse<CountingCalls, T>> {
    const cancellation = new Cancellation();
    let timer: NodeJS.Timeout | undefined;
    const cancel = (): void => {
      cancellation.cancel();
      timer = setTimeout(() => void this.thread.stop(), CANCEL_MS).unref();
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
    try {
      return await this.thread.call(topic, request, CALL_MS);
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
    return this.thread.isRunning ? this.call('heldBytes', null) : 0;
  }

  /** Ends it, once the clicks that it holds are saved for the next process or the time is over. */
  async close(): Promise<void> {
    // Nothing is held by a thread that was never asked or has died.
    if (this.thread.isRunning) {
      await this.thread.call('save', null, SAVE_MS).catch(() => undefined);
    }
    await this.stop();
  }

  /** Ends it at once. */
  async stop(): Promise<void> {
    await this.thread.stop();
  }
}

function errorOf(error: unknown): unknown {
  if (!(error instanceof RpcError)) return error;
  if (error.code === 'database') return new DatabaseUnavailableError(error);
  if (error.code === 'busy' || error.kind === 'timeout') return new StatisticsBusyError();
  return new StatisticsFailedError(error);
}

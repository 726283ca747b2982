import { constants, setPriority } from 'node:os';
import { parentPort, Worker, type WorkerOptions } from 'node:worker_threads';
import {
  type Contract,
  type NoCalls,
  RpcChannel,
  type RpcDispatch,
  type RpcRequest,
  type RpcResponse,
  threadTransport,
  type Topic,
  type Transferred,
} from './rpc/rpc';

export interface WorkerThreadOptions extends Pick<WorkerOptions, 'env' | 'resourceLimits'> {
  /** Names the thread in errors. */
  readonly name: string;
  /** Path of its compiled entry. */
  readonly script: string;
  readonly workerData?: unknown;
  /** Called once for each thread that has ended, after its calls have failed. */
  readonly onEnd?: (reason: string) => void;
}

interface RunningThread<Calls extends Contract<Calls>> {
  readonly worker: Worker;
  readonly channel: RpcChannel<Calls>;
}

/**
 * A worker thread, started with its first call and anew after it has died. It does not keep the
 * process from ending.
 */
export class WorkerThread<Calls extends Contract<Calls> = NoCalls> {
  private running: RunningThread<Calls> | undefined;

  constructor(private readonly options: WorkerThreadOptions) {}

  get isRunning(): boolean {
    return this.running !== undefined;
  }

  /** @throws RpcError without an answer within `timeoutMs`, and when the thread ends before */
  call<T extends Topic<Calls>>(
    topic: T,
    request: RpcRequest<Calls, T> | Transferred<RpcRequest<Calls, T>>,
    timeoutMs: number,
  ): Promise<RpcResponse<Calls, T>> {
    return this.started().channel.call(topic, request, timeoutMs);
  }

  /** Sends what is no call, such as the port of a conversation of its own. */
  post(message: unknown, transferred: Parameters<Worker['postMessage']>[1]): void {
    this.started().worker.postMessage(message, transferred);
  }

  /** Starts the thread before its first call, where loading it takes long. */
  start(): void {
    this.started();
  }

  /** Ends the thread at once; calls under way fail, and the next one starts it anew. */
  async stop(): Promise<void> {
    await this.running?.worker.terminate();
  }

  private started(): RunningThread<Calls> {
    return (this.running ??= this.begin());
  }

  private begin(): RunningThread<Calls> {
    const { name, script, onEnd, ...options } = this.options;
    const worker = new Worker(script, options);
    worker.unref();
    const channel = new RpcChannel<Calls>(name, threadTransport(worker));
    const running = { worker, channel };
    let reason = 'the thread has ended';
    worker.on('error', (error) => {
      reason = error.message;
    });
    worker.on('exit', () => {
      if (this.running === running) this.running = undefined;
      channel.close(reason);
      onEnd?.(reason);
    });
    return running;
  }
}

/** Serves the calls of the thread's parent; to be called once, in the entry of a thread. */
export function serveThread(dispatch: RpcDispatch): void {
  if (parentPort !== null) new RpcChannel('parent', threadTransport(parentPort), dispatch);
}

/** Lets redirects come first where processors are few. On Linux alone it holds for one thread. */
export function lowerThreadPriority(): void {
  if (process.platform === 'linux') setPriority(constants.priority.PRIORITY_BELOW_NORMAL);
}

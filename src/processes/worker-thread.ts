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
  readonly name: string;
  readonly script: string;
  readonly workerData?: unknown;
  /** Called once when a thread has ended, after its calls have failed. */
  readonly onEnd?: (reason: string) => void;
}

interface RunningThread<Calls extends Contract<Calls>> {
  readonly worker: Worker;
  readonly channel: RpcChannel<Calls>;
}

/** A thread that starts on first use and after it has ended. Does not keep the process alive. */
export class WorkerThread<Calls extends Contract<Calls> = NoCalls> {
  private running: RunningThread<Calls> | undefined;

  constructor(private readonly options: WorkerThreadOptions) {}

  /** @throws RpcError without a response within `timeoutMs` or if the thread ends */
  call<T extends Topic<Calls>>(
    topic: T,
    request: RpcRequest<Calls, T> | Transferred<RpcRequest<Calls, T>>,
    timeoutMs: number,
  ): Promise<RpcResponse<Calls, T>> {
    return this.started().channel.call(topic, request, timeoutMs);
  }

  /** Sends a message that is not a call, for example a port. */
  post(message: unknown, transferred: Parameters<Worker['postMessage']>[1]): void {
    this.started().worker.postMessage(message, transferred);
  }

  start(): void {
    this.started();
  }

  /** Terminates the thread. Pending calls fail, and the next call restarts the thread. */
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

export function serveThread(dispatch: RpcDispatch): void {
  if (parentPort !== null) new RpcChannel('parent', threadTransport(parentPort), dispatch);
}

/** Gives redirects precedence. Only Linux has per-thread priorities. */
export function lowerThreadPriority(): void {
  if (process.platform === 'linux') setPriority(constants.priority.PRIORITY_BELOW_NORMAL);
}

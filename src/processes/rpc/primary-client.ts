import type { PrimaryCalls, WebCalls } from './primary-calls';
import {
  processTransport,
  RpcChannel,
  RpcHandlers,
  type RpcRequest,
  type RpcResponse,
  type Topic,
} from './rpc';

const HELLO_MS = 10_000;

export const primaryHandlers = new RpcHandlers<PrimaryCalls>();

/** Access to the primary, which may be this process. */
export abstract class PrimaryClient {
  abstract readonly isHere: boolean;
  readonly handlers = new RpcHandlers<WebCalls>();

  abstract call<T extends Topic<PrimaryCalls>>(
    topic: T,
    request: RpcRequest<PrimaryCalls, T>,
    timeoutMs: number,
  ): Promise<RpcResponse<PrimaryCalls, T>>;
}

export class LocalPrimaryClient extends PrimaryClient {
  readonly isHere = true;

  call<T extends Topic<PrimaryCalls>>(
    topic: T,
    request: RpcRequest<PrimaryCalls, T>,
  ): Promise<RpcResponse<PrimaryCalls, T>> {
    return primaryHandlers.call(topic, request);
  }
}

export class WorkerPrimaryClient extends PrimaryClient {
  readonly isHere = false;
  private readonly channel = new RpcChannel<PrimaryCalls>(
    'primary',
    processTransport(process),
    // Before handlers are registered, the worker caches nothing that a change could affect.
    (topic, request) =>
      this.handlers.has(topic) ? this.handlers.dispatch(topic, request) : undefined,
  );

  async open(): Promise<void> {
    await this.call('hello', null, HELLO_MS);
  }

  call<T extends Topic<PrimaryCalls>>(
    topic: T,
    request: RpcRequest<PrimaryCalls, T>,
    timeoutMs: number,
  ): Promise<RpcResponse<PrimaryCalls, T>> {
    return this.channel.call(topic, request, timeoutMs);
  }
}

/** For child processes other than web processes, which receive no WebCalls. */
export class ChildPrimaryClient extends PrimaryClient {
  readonly isHere = false;

  constructor(private readonly channel: Pick<RpcChannel<PrimaryCalls>, 'call'>) {
    super();
  }

  call<T extends Topic<PrimaryCalls>>(
    topic: T,
    request: RpcRequest<PrimaryCalls, T>,
    timeoutMs: number,
  ): Promise<RpcResponse<PrimaryCalls, T>> {
    return this.channel.call(topic, request, timeoutMs);
  }
}

import cluster from 'node:cluster';
import { Module } from '@nestjs/common';
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

/** The calls of web processes, and of the jobs process, that this process serves, if it is the primary. */
export const primaryHandlers = new RpcHandlers<PrimaryCalls>();

/** A process's access to the primary, which may be another process or this one. */
export abstract class PrimaryClient {
  /** Whether this process is the primary. */
  abstract readonly isHere: boolean;
  /** The calls of the primary that this web process serves. */
  readonly handlers = new RpcHandlers<WebCalls>();

  /** Rejects when the primary throws or does not answer within `timeoutMs`. */
  abstract call<T extends Topic<PrimaryCalls>>(
    topic: T,
    request: RpcRequest<PrimaryCalls, T>,
    timeoutMs: number,
  ): Promise<RpcResponse<PrimaryCalls, T>>;
}

/** The web part runs in the primary itself. */
export class LocalPrimaryClient extends PrimaryClient {
  readonly isHere = true;

  call<T extends Topic<PrimaryCalls>>(
    topic: T,
    request: RpcRequest<PrimaryCalls, T>,
  ): Promise<RpcResponse<PrimaryCalls, T>> {
    return primaryHandlers.call(topic, request);
  }
}

/** The web part runs in a worker of node:cluster. */
export class WorkerPrimaryClient extends PrimaryClient {
  readonly isHere = false;
  private readonly channel = new RpcChannel<PrimaryCalls>(
    'primary',
    processTransport(process),
    // While this worker is only starting, it knows nothing yet that a change could outdate.
    (topic, request) =>
      this.handlers.has(topic) ? this.handlers.dispatch(topic, request) : undefined,
  );

  /** Makes this worker known; from then on the primary tells it of changes. */
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

/** This process is no web process: the primary has started it as a child, and calls nothing of these. */
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

/**
 * Connects a process with the primary, be it another process or this one. A child that serves no web
 * provides its client everywhere.
 */
@Module({
  providers: [
    {
      provide: PrimaryClient,
      inject: [{ token: ChildPrimaryClient, optional: true }],
      useFactory: async (child?: ChildPrimaryClient): Promise<PrimaryClient> => {
        if (child !== undefined) return child;
        if (!cluster.isWorker) return new LocalPrimaryClient();
        const client = new WorkerPrimaryClient();
        await client.open();
        return client;
      },
    },
  ],
  exports: [PrimaryClient],
})
export class PrimaryModule {}

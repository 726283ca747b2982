import cluster from 'node:cluster';
import { Global, Module } from '@nestjs/common';
import { type RpcAnswer, RpcChannel } from './rpc-channel';
import { primaryHandlers, RpcHandlers } from './rpc-handlers';
import { HELLO } from './rpc-hub';

const HELLO_MS = 10_000;

/** A web process' line to the primary; in a service of one process it ends in the same process. */
export abstract class PrimaryClient {
  private readonly answers = new Map<string, (body: unknown) => unknown>();

  /** Rejects when the primary throws or does not answer within `timeoutMs`. */
  abstract call(topic: string, body: unknown, timeoutMs: number): Promise<unknown>;

  /** Says what this process answers when the primary asks. */
  handle(topic: string, answer: (body: unknown) => unknown): void {
    this.answers.set(topic, answer);
  }

  protected readonly reply: RpcAnswer = (topic, body) => this.answers.get(topic)?.(body);
}

/** The web part runs in the primary itself. */
export class LocalPrimaryClient extends PrimaryClient {
  constructor(private readonly handlers: RpcHandlers = primaryHandlers) {
    super();
  }

  call(topic: string, body: unknown): Promise<unknown> {
    return this.handlers.call(topic, body);
  }
}

/** The web part runs in a worker of node:cluster. */
export class WorkerPrimaryClient extends PrimaryClient {
  private readonly peer: RpcChannel;

  constructor(channel: NodeJS.Process = process) {
    super();
    this.peer = new RpcChannel(
      {
        send: (message) => {
          if (!channel.connected) return false;
          channel.send?.(message, undefined, undefined, () => undefined);
          return true;
        },
        onMessage: (listener) => void channel.on('message', listener),
      },
      this.reply,
    );
  }

  /** Makes this worker known; from then on the primary tells it of changes. */
  async open(): Promise<void> {
    await this.peer.call(HELLO, null, HELLO_MS);
  }

  call(topic: string, body: unknown, timeoutMs: number): Promise<unknown> {
    return this.peer.call(topic, body, timeoutMs);
  }
}

/** Connects a web process with the primary, be it another process or this one. */
@Global()
@Module({
  providers: [
    {
      provide: PrimaryClient,
      useFactory: async (): Promise<PrimaryClient> => {
        if (!cluster.isWorker) return new LocalPrimaryClient();
        const line = new WorkerPrimaryClient();
        await line.open();
        return line;
      },
    },
  ],
  exports: [PrimaryClient],
})
export class PrimaryModule {}

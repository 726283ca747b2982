import type { Cluster, Worker } from 'node:cluster';
import { RpcHandlers, primaryHandlers } from './rpc-handlers';
import { RpcChannel } from './rpc-channel';

/** The primary's lines to its workers: passes their questions to the context, asks them itself. */
export class RpcHub {
  private readonly peers = new Map<number, RpcChannel>();

  constructor(
    cluster: Pick<Cluster, 'on'>,
    private readonly handlers: RpcHandlers = primaryHandlers,
  ) {
    cluster.on('fork', (worker) => this.connect(worker));
    cluster.on('exit', (worker) => this.disconnect(worker.id));
    cluster.on('disconnect', (worker) => this.disconnect(worker.id));
  }

  /**
   * Asks every worker but `except`; resolves when each has answered, failed, died or let
   * `timeoutMs` pass. Answers how many did not answer.
   */
  async callAll(topic: string, body: unknown, timeoutMs: number, except?: number): Promise<number> {
    const asked = [...this.peers.keys()].filter((id) => id !== except).length;
    return asked - (await this.collect(topic, body, timeoutMs, except)).size;
  }

  /** As `askAll`; answers what each worker that did answer has said, by its id. */
  async collect(
    topic: string,
    body: unknown,
    timeoutMs: number,
    except?: number,
  ): Promise<Map<number, unknown>> {
    const answers = new Map<number, unknown>();
    const others = [...this.peers].filter(([id]) => id !== except);
    await Promise.allSettled(
      others.map(async ([id, peer]) => answers.set(id, await peer.call(topic, body, timeoutMs))),
    );
    return answers;
  }

  private connect(worker: Worker): void {
    const channel = {
      send: (message: object) => worker.isConnected() && sent(worker, message),
      onMessage: (listener: (message: unknown) => void) => void worker.on('message', listener),
    };
    const peer = new RpcChannel(channel, (topic, body) => {
      // A worker is told of changes from its first question on; before, it remembers nothing.
      this.peers.set(worker.id, peer);
      return topic === HELLO ? undefined : this.handlers.call(topic, body, worker.id);
    });
  }

  private disconnect(id: number): void {
    this.peers.get(id)?.close();
    this.peers.delete(id);
  }
}

/** What a worker says first. */
export const HELLO = 'hello';

function sent(worker: Worker, message: object): boolean {
  // A channel that closes while it is written to is an exit that the cluster reports.
  worker.send(message, () => undefined);
  return true;
}

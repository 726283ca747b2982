import { join } from 'node:path';
import type {
  ShardCalls,
  ShardRequest,
  ShardResponse,
  Shards,
} from '../../engines/click-engine/shards/shards';
import { type RpcRequest, Transferred } from '../../processes/rpc/rpc';
import { WorkerThread } from '../../processes/worker-thread';

/** Small, because clicks are outside the heap and short-lived objects must not grow it. */
const HEAP = { maxOldGenerationSizeMb: 256, maxYoungGenerationSizeMb: 16 };
/** Time limit for a call, longer than any query, so that only a hang exceeds it. */
const SHARD_CALL_MS = 120_000;

export class ShardPool implements Shards {
  private readonly threads: WorkerThread<ShardCalls>[];
  private stopped = false;

  constructor(readonly count: number) {
    this.threads = Array.from({ length: count }, () => {
      const thread = new WorkerThread<ShardCalls>({
        name: 'statistics shard',
        script: join(__dirname, 'statistics-shard.worker.js'),
        resourceLimits: HEAP,
        // This shard's clicks are lost. Throws, so that the primary restarts the process.
        onEnd: (reason) => {
          if (!this.stopped) throw new Error(`A statistics shard ended: ${reason}`);
        },
      });
      thread.start();
      return thread;
    });
  }

  async call<T extends keyof ShardCalls>(
    shard: number,
    topic: T,
    request: ShardRequest<T>,
    handedOver: readonly ArrayBuffer[] = [],
  ): Promise<ShardResponse<T>> {
    const thread = this.threads[shard];
    if (thread === undefined) throw new RangeError(`There is no shard ${shard}`);
    const sent = new Transferred(request as RpcRequest<ShardCalls, T>, handedOver);
    return (await thread.call(topic, sent, SHARD_CALL_MS)) as ShardResponse<T>;
  }

  async stop(): Promise<void> {
    this.stopped = true;
    await Promise.all(this.threads.map((thread) => thread.stop()));
  }
}

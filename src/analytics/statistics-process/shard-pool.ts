import { join } from 'node:path';
import type {
  ShardCalls,
  ShardRequest,
  ShardResponse,
  Shards,
} from '../../engines/click-engine/shards/shards';
import { type RpcRequest, Transferred } from '../../processes/rpc/rpc';
import { WorkerThread } from '../../processes/worker-thread';

/** Clicks are stored outside the heap; short-lived objects must not grow it. */
const HEAP = { maxOldGenerationSizeMb: 256, maxYoungGenerationSizeMb: 16 };
/** Exceeds any query, so it only catches a thread that hangs. */
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
        // The shard's clicks are lost: crash, so that the primary restarts the whole process.
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

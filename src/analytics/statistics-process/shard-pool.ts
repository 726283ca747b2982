import { join } from 'node:path';
import { RpcError, type RpcRequest, Transferred } from '../../processes/rpc/rpc';
import { WorkerThread } from '../../processes/worker-thread';
import { CancelledError } from '../../click-engine/engine.errors';
import type {
  ShardCalls,
  ShardRequest,
  ShardResponse,
} from '../../click-engine/shards/shard.messages';
import type { Shards } from '../../click-engine/shards/shards';

/** Clicks lie outside the heap; what is short-lived in it shall not make it large. */
const HEAP = { maxOldGenerationSizeMb: 256, maxYoungGenerationSizeMb: 16 };
/** Longer than anything is counted, so that it only catches a thread that hangs. */
const CALL_MS = 120_000;

/** Shards in threads of their own. A thread that dies takes the whole pool along. */
export class ShardPool implements Shards {
  private readonly threads: WorkerThread<ShardCalls>[];

  constructor(readonly count: number) {
    this.threads = Array.from(
      { length: count },
      () =>
        new WorkerThread({
          name: 'statistics shard',
          script: join(__dirname, 'statistics-shard.worker.js'),
          resourceLimits: HEAP,
          // Ends the thread that has started it, which is started anew as a whole.
          onEnd: (reason) => {
            throw new Error(`A statistics shard has ended: ${reason}`);
          },
        }),
    );
  }

  async call<T extends keyof ShardCalls>(
    shard: number,
    topic: T,
    request: ShardRequest<T>,
    handedOver: readonly ArrayBuffer[] = [],
  ): Promise<ShardResponse<T>> {
    const thread = this.threads[shard];
    if (thread === undefined) throw new RangeError(`There is no shard ${shard}`);
    try {
      const body = request as RpcRequest<ShardCalls, T>;
      const sent = new Transferred(body, handedOver);
      return (await thread.call(topic, sent, CALL_MS)) as ShardResponse<T>;
    } catch (error) {
      if (error instanceof RpcError && error.code === 'busy') throw new CancelledError();
      throw error;
    }
  }
}

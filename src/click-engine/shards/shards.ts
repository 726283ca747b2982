import type { ShardCalls, ShardRequest, ShardResponse } from './shard.messages';

/** The shards that count, one for each range of visitors. */
export interface Shards {
  readonly count: number;
  /** @param handedOver memory of the request that is handed to the shard, not copied */
  call<T extends keyof ShardCalls>(
    shard: number,
    topic: T,
    request: ShardRequest<T>,
    handedOver?: readonly ArrayBuffer[],
  ): Promise<ShardResponse<T>>;
}

/** Asks all of them at once; rejects with the first that fails. */
export function onAllShards<T>(
  { count }: Shards,
  call: (shard: number) => Promise<T>,
): Promise<T[]> {
  return Promise.all(Array.from({ length: count }, (_, shard) => call(shard)));
}

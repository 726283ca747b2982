import type { CountingQuestion, PartialCount } from '../counting/counting-question';
import type { Segment, VisitorRange } from '../reading/segment';
import type { PackedChunks } from '../reading/packed-chunks';
import type { ReadColumn, ReadSelection, SourceFigures } from '../reading/segment-reader';

export type ValueNumbers = Partial<Record<ReadColumn, Uint32Array>>;

/** Calls from the thread that runs queries to the shards. */
export interface ShardCalls {
  /** Decodes chunks and returns a segment for each range of visitors, or null if it is empty. */
  read: {
    request: {
      readonly chunks: PackedChunks;
      readonly selection: ReadSelection;
      readonly ranges: readonly VisitorRange[];
    };
    response: {
      readonly parts: readonly (Segment | null)[];
      readonly values: Partial<Record<ReadColumn, (string | null)[]>>;
      readonly figures: readonly SourceFigures[];
    };
  };
  /** Adds decoded clicks to a shard; returns the cached segments' memory. */
  takeSegment: {
    request: {
      readonly resident: number;
      readonly segment: Segment;
      readonly numbers: ValueNumbers;
    };
    response: number;
  };
  /** Merges added segments, and segments counted often; returns the cached segments' memory. */
  mergeTaken: { request: { readonly resident: number }; response: number };
  /** Keeps and renumbers selected sources' rows; returns the cached segments' memory. */
  keep: {
    request: {
      readonly resident: number;
      readonly kept: Uint8Array;
      readonly numbers: Uint32Array;
    };
    response: number;
  };
  drop: { request: { readonly resident: number }; response: undefined };
  count: {
    request: {
      readonly resident: number;
      readonly question: CountingQuestion;
      readonly cancelled: Int32Array;
    };
    response: PartialCount;
  };
}

export type ShardRequest<T extends keyof ShardCalls> = ShardCalls[T]['request'];
export type ShardResponse<T extends keyof ShardCalls> = ShardCalls[T]['response'];

export interface Shards {
  readonly count: number;
  /** @param handedOver the request's buffers to transfer instead of copying */
  call<T extends keyof ShardCalls>(
    shard: number,
    topic: T,
    request: ShardRequest<T>,
    handedOver?: readonly ArrayBuffer[],
  ): Promise<ShardResponse<T>>;
}

export function onAllShards<T>(
  { count }: Shards,
  call: (shard: number) => Promise<T>,
): Promise<T[]> {
  return Promise.all(Array.from({ length: count }, (_, shard) => call(shard)));
}

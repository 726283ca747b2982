import type { CountingQuestion, PartialCount } from '../counting/counting-question';
import type { Segment, VisitorRange } from '../reading/segment';
import type { PackedChunks } from '../reading/packed-chunks';
import type { ReadColumn, ReadSelection, SourceFigures } from '../reading/segment-reader';

export type ValueNumbers = Partial<Record<ReadColumn, Uint32Array>>;

/** Calls from the interner's thread to the shards. */
export interface ShardCalls {
  /** Reads chunks; returns a segment or null for each range of visitors. */
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
  /** Takes part of the clicks read; returns the memory of the resident segments. */
  takeSegment: {
    request: {
      readonly resident: number;
      readonly segment: Segment;
      readonly numbers: ValueNumbers;
    };
    response: number;
  };
  /** Sorts taken segments, merges often counted ones; returns the resident segments' memory. */
  mergeTaken: { request: { readonly resident: number }; response: number };
  /** Keeps the rows of some sources under new numbers; returns the resident segments' memory. */
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
  /** @param handedOver request buffers to transfer instead of copy */
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

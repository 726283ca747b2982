import type { Cancellation } from '../query/statistics-query';
import { packed, packedBuffers } from '../reading/packed-chunks';
import { segmentBuffers, type VisitorRange, visitorRanges } from '../reading/segment';
import type { ReadSelection, SourceFigures, SourceChunk } from '../reading/segment-reader';
import type { Shards, ValueNumbers } from './statistics-shard';
import type { StringInterner } from '../reading/string-interner';

const TASKS_A_SHARD = 2;

interface ShardReading {
  readonly selection: ReadSelection;
  readonly ranges: readonly VisitorRange[];
  readonly resident: number;
  readonly onFigures: (figures: SourceFigures) => void;
  readonly onTaken: (shard: number, bytes: number) => void;
}

/** Passes chunks to the shards: one shard decodes them, then each takes its range of visitors. */
export class ShardReader {
  private next = 0;
  /** Whether the shards may have received only part of the clicks. */
  isBroken = false;

  constructor(
    private readonly shards: Shards,
    private readonly interner: StringInterner,
  ) {}

  async read(
    batches: AsyncIterable<readonly SourceChunk[]>,
    reading: ShardReading,
    cancellation: Cancellation,
  ): Promise<void> {
    const running = new Set<Promise<void>>();
    let failure: { error: unknown } | undefined;
    try {
      for await (const chunks of batches) {
        cancellation.check();
        const task: Promise<void> = this.task(chunks, reading)
          .catch((error: unknown) => {
            failure ??= { error };
            this.isBroken = true;
          })
          .finally(() => running.delete(task));
        running.add(task);
        while (running.size >= this.shards.count * TASKS_A_SHARD) await Promise.race(running);
        if (failure !== undefined) break;
      }
    } finally {
      // Waits, so that no result arrives after this call has ended.
      await Promise.all(running);
    }
    if (failure !== undefined) throw failure.error;
  }

  private async task(chunks: readonly SourceChunk[], reading: ShardReading): Promise<void> {
    const { selection, ranges, resident } = reading;
    const shard = this.next++ % this.shards.count;
    const request = { chunks: packed(chunks), selection, ranges };
    const buffers = packedBuffers(request.chunks);
    const read = await this.shards.call(shard, 'read', request, buffers);
    read.figures.forEach(reading.onFigures);
    const numbers = this.numbered(read.values);
    await Promise.all(
      read.parts.map(async (segment, owner) => {
        if (segment === null) return;
        const taken = { resident, segment, numbers };
        const bytes = await this.shards.call(owner, 'takeSegment', taken, segmentBuffers(segment));
        reading.onTaken(owner, bytes);
      }),
    );
  }

  private numbered(values: Partial<Record<string, (string | null)[]>>): ValueNumbers {
    return Object.fromEntries(
      Object.entries(values).map(([name, list]) => {
        const strings = this.interner.column(name as keyof ValueNumbers);
        return [name, Uint32Array.from(list ?? [], (value) => strings.intern(value))];
      }),
    );
  }
}

export function shardRanges(shards: Shards): VisitorRange[] {
  return visitorRanges(shards.count);
}

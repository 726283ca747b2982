import type { ClickStoreState } from '../chunk-source';
import type { Cancellation } from '../cancellation';
import { type ChunkSources, chunkTasks } from '../reading/chunk-tasks';
import type { ClickReader, HeldChunks, KeyedChunks } from '../reading/click-reader';
import { countingQuestion, type CountingQuestion, type PartialCount } from './counting-question';
import type { LinkMarks } from './source-marks';
import { type VisitorRange, visitorRanges } from '../resident/segment';
import type { ReadSelection } from '../reading/segment-reader';
import { onAllShards, type Shards } from '../shards/shards';
import { shardRanges, ShardReader } from '../shards/shard-reader';
import type { StatisticsQuery } from '../statistics-query';
import type { StringInterner } from '../reading/string-interner';

/** Ranges into which a shard cuts its visitors for a scan, to give up some where memory is short. */
const RANGES_A_SHARD = 8;

/** The part of a query that is scanned. */
export interface ScanRequest {
  readonly stores: ClickStoreState[];
  readonly query: StatisticsQuery;
  readonly selection: ReadSelection;
  readonly interner: StringInterner;
  readonly marks: LinkMarks | null;
  readonly cancellation: Cancellation;
}

/** Counts clicks that are too many to be held: what is read is counted by the shards and let go. */
export class ShardedScan {
  private scans = 0;

  /** @param bytes what the shards may remember of visitors, together */
  constructor(
    private readonly reader: ClickReader,
    private readonly shards: Shards,
    private readonly bytes: number,
  ) {}

  /**
   * No visitor is in two ranges, so what they add up to is exact; the ranges for which there was no
   * memory are counted by another pass.
   */
  async count(request: ScanRequest): Promise<PartialCount[]> {
    const partials: PartialCount[] = [];
    let pending = shardRanges(this.shards).map((range) => visitorRanges(RANGES_A_SHARD, range));
    while (pending.some((ranges) => ranges.length > 0)) {
      const ended = await this.pass(request, pending);
      for (const { counts } of ended) partials.push(...counts);
      pending = ended.map((shard) => shard.pending);
    }
    return partials;
  }

  private async pass(
    { stores, query, selection, interner, marks, cancellation }: ScanRequest,
    pending: readonly VisitorRange[][],
  ): Promise<{ counts: readonly PartialCount[]; pending: VisitorRange[] }[]> {
    this.scans += 1;
    const scan = this.scans;
    const sources = new ScannedSources();
    const question = (): CountingQuestion =>
      countingQuestion(query, false, interner, {
        links: Uint32Array.from(sources.links),
        marks,
        // Nothing else is read.
        passingLinks: null,
      });
    const limit = this.bytes / this.shards.count;
    await onAllShards(this.shards, (shard) => {
      const ranges = pending[shard] ?? [];
      const request = { scan, question: question(), ranges, limit, cancelled: cancellation.flag };
      return this.shards.call(shard, 'beginScan', request);
    });
    const end = () =>
      onAllShards(this.shards, (shard) => this.shards.call(shard, 'endScan', { scan }));
    try {
      const reading = {
        selection,
        ranges: shardRanges(this.shards),
        to: { scan },
        onFigures: () => undefined,
        onTaken: () => undefined,
        question,
      };
      const chunks = this.reader.unknown(stores, query, sources);
      const tasks = chunkTasks(chunks, interner.column('link'), sources);
      await new ShardReader(this.shards, interner).read(tasks, reading, cancellation);
    } catch (error) {
      await end().catch(() => undefined);
      throw error;
    }
    return end();
  }
}

/** Sources of a scan: nothing of them is held. */
class ScannedSources implements HeldChunks, ChunkSources {
  readonly links: number[] = [];

  hasBlock(): boolean {
    return false;
  }

  inlineOf(): number {
    return 0;
  }

  number(_: KeyedChunks, link: number): number {
    return this.links.push(link) - 1;
  }
}

import type { Cancellation } from './cancellation';
import type { StatisticsQuery } from './statistics-query';
import type { SegmentLoader } from './segment-loader';
import type { ClickStoreState } from './segment-loader.repository';
import type { Segment } from './segment';
import {
  withoutReplaced,
  type KeyedSegment,
  mergeIntoSegment,
  type MergedSegment,
} from './merged-segment';
import type { MergedSegmentCache } from './merged-segment';

/** Fewer clicks than this are counted as they lie. */
const WORTH_MERGING = 20_000;
/** A merged segment is made anew when this share of its rows has been replaced, or lies beside it. */
const STALE = 0.1;

/** Gathers the segments for a query, through one merged segment where that pays. */
export class SegmentPlanner {
  constructor(
    private readonly loader: SegmentLoader,
    private readonly cache: MergedSegmentCache,
  ) {}

  /** Keys of what the merged segment of a source holds. */
  heldKeys(sourceKey: string): ReadonlySet<string> {
    return new Set(this.cache.get(sourceKey)?.keys);
  }

  /** Forgets everything: its values belong to an interner that is gone. */
  clear(): void {
    this.cache.clear();
  }

  /** Segments that together hold exactly the clicks of the stores that can be in the range. */
  async segments(
    sourceKey: string,
    stores: readonly ClickStoreState[],
    query: StatisticsQuery,
    cancellation: Cancellation,
  ): Promise<Segment[]> {
    const current = new Set(stores.flatMap((store) => this.loader.keysOf(store)));
    const cached = this.cache.get(sourceKey);
    const merged = cached === undefined ? null : withoutReplaced(cached, current);
    const others: KeyedSegment[] = [];
    const covered = new Set(merged?.keys);
    for await (const part of this.loader.segmentsOf(stores, query, covered)) {
      cancellation.check();
      others.push(part);
    }
    const kept = merged?.segment.n ?? 0;
    const besideRows = others.reduce((sum, { segment }) => sum + segment.n, 0);
    const replaced = (cached?.segment.n ?? 0) - kept;
    if (kept + besideRows < WORTH_MERGING) return listed(merged, others);
    if (merged !== null && besideRows + replaced <= kept * STALE) return listed(merged, others);
    const made = mergeIntoSegment(others, merged);
    this.cache.set(sourceKey, made);
    this.loader.forget(others.map(({ key }) => key));
    return [made.segment];
  }
}

function listed(merged: MergedSegment | null, others: readonly KeyedSegment[]): Segment[] {
  const segments = others.map(({ segment }) => segment);
  return merged === null ? segments : [merged.segment, ...segments];
}

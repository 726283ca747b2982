import type { Cancellation } from './cancellation';
import type { StatisticsQuestion } from './statistics-result';
import type { SegmentLoader } from './segment-loader';
import type { ClickStoreState } from './segment-loader.repository';
import type { Segment } from './segment';
import { aliveOf, type KeyedSegment, mergeIntoSegment, type MergedSegment } from './merged-segment';
import type { MergedSegmentCache } from './merged-segment';

/** Fewer clicks than this are counted as they lie. */
const WORTH_MERGING = 20_000;
/** A view is made anew when this share of its rows has been replaced, or stands beside it. */
const STALE = 0.1;

/** Gathers the segments for a question, through a view of the subject where that pays. */
export class SegmentPlanner {
  constructor(
    private readonly loader: SegmentLoader,
    private readonly merged: MergedSegmentCache,
  ) {}

  /** Keys of what is in memory of a subject. */
  heldKeys(subject: string): ReadonlySet<string> {
    return new Set(this.merged.get(subject)?.keys);
  }

  /** Lets go of everything: its values belong to a vocabulary that is gone. */
  clear(): void {
    this.merged.clear();
  }

  /** Segments that together hold exactly the clicks of the stores that can be in the range. */
  async segments(
    subject: string,
    stores: readonly ClickStoreState[],
    question: StatisticsQuestion,
    cancellation: Cancellation,
  ): Promise<Segment[]> {
    const current = new Set(stores.flatMap((store) => this.loader.keysOf(store)));
    const known = this.merged.get(subject);
    const view = known === undefined ? null : aliveOf(known, current);
    const besides: KeyedSegment[] = [];
    const covered = new Set(view?.keys);
    for await (const part of this.loader.segmentsOf(stores, question, covered)) {
      cancellation.check();
      besides.push(part);
    }
    const held = view?.segment.n ?? 0;
    const beside = besides.reduce((sum, { segment }) => sum + segment.n, 0);
    const dead = (known?.segment.n ?? 0) - held;
    if (held + beside < WORTH_MERGING) return listed(view, besides);
    if (view !== null && beside + dead <= held * STALE) return listed(view, besides);
    const made = mergeIntoSegment(besides, view);
    this.merged.set(subject, made);
    this.loader.forget(besides.map(({ key }) => key));
    return [made.segment];
  }
}

function listed(view: MergedSegment | null, besides: readonly KeyedSegment[]): Segment[] {
  const segments = besides.map(({ segment }) => segment);
  return view === null ? segments : [view.segment, ...segments];
}

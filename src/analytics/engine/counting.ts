import { bucketNumbers, timeBuckets, type TimeBuckets } from '../calendar/time-buckets';
import { rankedBreakdown, serialBreakdown } from './breakdown';
import { Cancellation } from './cancellation';
import type { Dimension } from './dimension';
import type { Breakdown, StatisticsResult, StatisticsQuestion } from './figures';
import { toRuns } from './runs';
import type { Segment } from './segment';
import { mergeSegments } from './segment-merge';
import { filterRows, rowFilter } from './selection';
import { SummaryCounter } from './summary-tally';
import { type Runs, DimensionCounter } from './tally';
import type { StringInterner } from './vocabulary';

/**
 * Counts the clicks of segments: exact, and pure apart from its own sums. Segments may come in
 * several portions as long as no visitor occurs in two of them, so that an account of any size
 * can be counted in bounded memory.
 */
export class Counting {
  private readonly tallies = new Map<Dimension, DimensionCounter>();
  private readonly summary = new SummaryCounter();
  private readonly buckets: TimeBuckets | null;
  private visitors = 0;

  constructor(
    private readonly question: StatisticsQuestion,
    private readonly vocabulary: StringInterner,
    /** Aliases of the links by id: the labels of `short_code`. */
    private readonly aliases: ReadonlyMap<string, string> = new Map(),
    private readonly cancellation = new Cancellation(),
  ) {
    const { buckets, start, end } = question;
    this.buckets = buckets && timeBuckets(buckets, start, end);
    for (const dimension of question.dimensions)
      this.tallies.set(dimension, new DimensionCounter(0));
  }

  add(segments: readonly Segment[]): void {
    const sieve = rowFilter(this.question, this.vocabulary);
    const sifted = together(segments.map((segment) => filterRows(segment, sieve)));
    const runs = toRuns(sifted, this.visitors);
    this.visitors += runs.distinct;
    this.summary.add(sifted);
    for (const [dimension, tally] of this.tallies) {
      this.cancellation.check();
      this.tally(dimension, tally, runs, sifted);
    }
  }

  /** At most `rows` rows a breakdown, the largest; a list over time is never cut. */
  figures(rows = Infinity): StatisticsResult {
    const breakdowns: Partial<Record<Dimension, Breakdown>> = {};
    for (const [dimension, tally] of this.tallies) {
      this.cancellation.check();
      breakdowns[dimension] = this.breakdown(dimension, tally, rows);
    }
    return { summary: this.summary.of(this.visitors, this.vocabulary), breakdowns };
  }

  private tally(
    dimension: Dimension,
    tally: DimensionCounter,
    runs: Runs,
    segments: Segment[],
  ): void {
    if (dimension === 'time') {
      const { starts } = this.requireBuckets();
      tally.reserve(starts.length);
      tally.add(
        runs,
        segments.map(({ at }) => bucketNumbers(at, starts)),
      );
    } else {
      const term = dimension === 'short_code' ? 'link' : dimension;
      tally.reserve(this.vocabulary.of(term).labels.length);
      tally.add(
        runs,
        segments.map(({ columns }) => columns[term]),
        segments.map(({ steady }) => steady?.has(term) ?? false),
      );
    }
  }

  private breakdown(dimension: Dimension, tally: DimensionCounter, rows: number): Breakdown {
    if (dimension === 'time') return serialBreakdown(tally, this.requireBuckets().labels);
    const { cancellation } = this;
    const underscored = this.question.underscored?.includes(dimension) ?? false;
    const ranking = { rows, underscored, cancellation };
    if (dimension === 'short_code') {
      const { labels: ids } = this.vocabulary.of('link');
      return rankedBreakdown(tally, (value) => this.aliases.get(ids[value] ?? '') ?? null, ranking);
    }
    const { labels } = this.vocabulary.of(dimension);
    return rankedBreakdown(tally, (value) => labels[value] ?? null, ranking);
  }

  private requireBuckets(): TimeBuckets {
    if (this.buckets === null) throw new RangeError('Figures by time need buckets');
    return this.buckets;
  }
}

/** Counting is quickest over one or two segments: small ones are merged beside the largest. */
function together(segments: readonly Segment[]): Segment[] {
  const [largest, ...rest] = segments.filter(({ n }) => n > 0).sort((a, b) => b.n - a.n);
  if (largest === undefined) return [];
  const small = rest.reduce((sum, { n }) => sum + n, 0);
  if (rest.length < 2 || small * 4 > largest.n) return [largest, ...rest];
  return [largest, mergeSegments(rest)];
}

import { bucketNumbers, timeBuckets, type TimeBuckets } from '../calendar/time-buckets';
import { Cancellation } from './cancellation';
import type { Dimension } from '../dimensions';
import { DimensionCounter, type Runs } from './dimension-counter';
import { filterRows, rowFilter } from './row-filter';
import type { Segment } from './segment';
import { mergeSegments, toRuns } from './segment-merge';
import type { StatisticsQuery } from './statistics-query';
import type { Breakdown, StatisticsResult } from './statistics-result';
import type { StringInterner } from './string-interner';
import { SummaryCounter } from './summary-counter';

/** Comparisons between two looks at the cancellation. */
const LOOK_EVERY = 1 << 14;

export interface Ranking {
  /** At most so many rows, the largest; sums and size are of all. */
  rows: number;
  /** Labels are written with `_` for `.`; rows that become equal are one. */
  underscored: boolean;
  cancellation: Cancellation;
}

/** Values that occurred, by clicks descending, ties by value ascending. */
export function rankedBreakdown(
  counter: DimensionCounter,
  labelOf: (value: number) => string | null,
  { rows, underscored, cancellation }: Ranking,
): Breakdown {
  const met = underscored ? underscoredRows(counter, labelOf) : metRows(counter, labelOf);
  const { labels, clicks, visitors } = met;
  let compared = 0;
  const compare = (a: number, b: number): number => {
    compared += 1;
    if (compared % LOOK_EVERY === 0) cancellation.check();
    return (clicks[b] ?? 0) - (clicks[a] ?? 0) || ((labels[a] ?? '') < (labels[b] ?? '') ? -1 : 1);
  };
  const order = firstOf(labels.length, rows, compare);
  return {
    labels: Array.from(order, (at) => labels[at] ?? ''),
    clicks: Float64Array.from(order, (at) => clicks[at] ?? 0),
    visitors: Float64Array.from(order, (at) => visitors[at] ?? 0),
    size: labels.length,
    clicksSum: sum(clicks),
    visitorsSum: sum(visitors),
  };
}

/** All values in their own order, zeros included: what a list over time shows. */
export function serialBreakdown(counter: DimensionCounter, labels: readonly string[]): Breakdown {
  const clicks = Float64Array.from(labels, (_, value) => counter.clicks[value] ?? 0);
  const visitors = Float64Array.from(labels, (_, value) => counter.visitors[value] ?? 0);
  return {
    labels: [...labels],
    clicks,
    visitors,
    size: labels.length,
    clicksSum: sum(clicks),
    visitorsSum: sum(visitors),
  };
}

/** Rows in no order; the arrays run in parallel. */
interface Rows {
  labels: string[];
  clicks: number[];
  visitors: number[];
}

function metRows(counter: DimensionCounter, labelOf: (value: number) => string | null): Rows {
  const rows: Rows = { labels: [], clicks: [], visitors: [] };
  for (let value = 0; value < counter.clicks.length; value += 1) {
    const clicks = counter.clicks[value] ?? 0;
    const label = clicks > 0 ? labelOf(value) : null;
    if (label === null) continue;
    rows.labels.push(label);
    rows.clicks.push(clicks);
    rows.visitors.push(counter.visitors[value] ?? 0);
  }
  return rows;
}

function underscoredRows(
  counter: DimensionCounter,
  labelOf: (value: number) => string | null,
): Rows {
  const met = metRows(counter, labelOf);
  const rows: Rows = { labels: [], clicks: [], visitors: [] };
  const places = new Map<string, number>();
  met.labels.forEach((plain, at) => {
    const label = plain.replaceAll('.', '_');
    let place = places.get(label);
    if (place === undefined) {
      place = rows.labels.push(label) - 1;
      places.set(label, place);
    }
    rows.clicks[place] = (rows.clicks[place] ?? 0) + (met.clicks[at] ?? 0);
    rows.visitors[place] = (rows.visitors[place] ?? 0) + (met.visitors[at] ?? 0);
  });
  return rows;
}

/**
 * The first `count` of the numbers below `n` in an order, sorted. Of many only what can still be
 * among the first is sorted, so that a thousand rows of a million cost little more than a look at
 * each.
 */
function firstOf(n: number, count: number, compare: (a: number, b: number) => number): Uint32Array {
  if (count >= n) return Uint32Array.from({ length: n }, (_, at) => at).sort(compare);
  const held = new Uint32Array(count * 2);
  let size = 0;
  let last: number | null = null;
  for (let at = 0; at < n && count > 0; at += 1) {
    if (last !== null && compare(at, last) > 0) continue;
    held[size] = at;
    size += 1;
    if (size < held.length) continue;
    held.sort(compare);
    size = count;
    last = held[count - 1] ?? 0;
  }
  return held.subarray(0, size).sort(compare).slice(0, count);
}

function sum(values: ArrayLike<number>): number {
  let total = 0;
  for (let at = 0; at < values.length; at += 1) total += values[at] ?? 0;
  return total;
}

/**
 * Counts the clicks of segments: exact, and pure apart from its own sums. Segments may come in
 * several portions as long as no visitor occurs in two of them, so that an account of any size
 * can be counted in bounded memory.
 */
export class Counting {
  private readonly counters = new Map<Dimension, DimensionCounter>();
  private readonly summary = new SummaryCounter();
  private readonly buckets: TimeBuckets | null;
  private visitors = 0;

  constructor(
    private readonly query: StatisticsQuery,
    private readonly interner: StringInterner,
    /** Aliases of the links by id: the labels of `short_code`. */
    private readonly aliases: ReadonlyMap<string, string> = new Map(),
    private readonly cancellation = new Cancellation(),
  ) {
    const { buckets, start, end } = query;
    this.buckets = buckets && timeBuckets(buckets, start, end);
    for (const dimension of query.dimensions) this.counters.set(dimension, new DimensionCounter(0));
  }

  add(segments: readonly Segment[]): void {
    const filter = rowFilter(this.query, this.interner);
    const filtered = together(segments.map((segment) => filterRows(segment, filter)));
    const runs = toRuns(filtered, this.visitors);
    this.visitors += runs.distinct;
    this.summary.add(filtered);
    for (const [dimension, counter] of this.counters) {
      this.cancellation.check();
      this.countBy(dimension, counter, runs, filtered);
    }
  }

  /** At most `rows` rows a breakdown, the largest; a list over time is never cut. */
  result(rows = Infinity): StatisticsResult {
    const breakdowns: Partial<Record<Dimension, Breakdown>> = {};
    for (const [dimension, counter] of this.counters) {
      this.cancellation.check();
      breakdowns[dimension] = this.breakdown(dimension, counter, rows);
    }
    return { summary: this.summary.of(this.visitors, this.interner), breakdowns };
  }

  private countBy(
    dimension: Dimension,
    counter: DimensionCounter,
    runs: Runs,
    segments: Segment[],
  ): void {
    if (dimension === 'time') {
      const { starts } = this.requireBuckets();
      counter.reserve(starts.length);
      counter.add(
        runs,
        segments.map(({ at }) => bucketNumbers(at, starts)),
      );
    } else {
      const name = dimension === 'short_code' ? 'link' : dimension;
      counter.reserve(this.interner.of(name).labels.length);
      counter.add(
        runs,
        segments.map(({ columns }) => columns[name]),
        segments.map(({ constantPerVisitor }) => constantPerVisitor?.has(name) ?? false),
      );
    }
  }

  private breakdown(dimension: Dimension, counter: DimensionCounter, rows: number): Breakdown {
    if (dimension === 'time') return serialBreakdown(counter, this.requireBuckets().labels);
    const { cancellation } = this;
    const underscored = this.query.underscored?.includes(dimension) ?? false;
    const ranking = { rows, underscored, cancellation };
    if (dimension === 'short_code') {
      const { labels: ids } = this.interner.of('link');
      return rankedBreakdown(
        counter,
        (value) => this.aliases.get(ids[value] ?? '') ?? null,
        ranking,
      );
    }
    const { labels } = this.interner.of(dimension);
    return rankedBreakdown(counter, (value) => labels[value] ?? null, ranking);
  }

  private requireBuckets(): TimeBuckets {
    if (this.buckets === null) throw new RangeError('A breakdown by time needs buckets');
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

import type { SourceFigures } from '../reading/segment-reader';
import {
  type Breakdown,
  type Cancellation,
  type Dimension,
  DIMENSIONS,
  type LinkName,
  shownValues,
  type StatisticsQuery,
  type StatisticsResult,
  type Summary,
} from '../query/statistics-query';
import type { StringInterner } from '../reading/string-interner';
import { type PartialCount, queryBuckets } from './counting-question';
import type { LinkMarks } from './source-marks';

export interface ValueCounts {
  readonly clicks: Uint32Array;
  readonly visitors: Uint32Array;
}

const LOOK_EVERY = 1 << 14;

export interface Ranking {
  /** Maximum rows, largest first; the sums and `size` include the omitted values. */
  rows: number;
  /** Changes labels; rows whose labels become equal are merged. Null for no change. */
  relabel: ((label: string) => string) | null;
  cancellation: Cancellation;
}

/** Sorts the values that occurred by clicks (descending), then by value (ascending). */
export function rankedBreakdown(
  counts: ValueCounts,
  labelOf: (value: number) => string | null,
  { rows, relabel, cancellation }: Ranking,
): Breakdown {
  const met = metRows(counts, labelOf);
  const { labels, clicks, visitors } = relabel === null ? met : mergedRows(met, relabel);
  let compared = 0;
  const compare = (a: number, b: number): number => {
    compared += 1;
    if (compared % LOOK_EVERY === 0) cancellation.check();
    return (clicks[b] ?? 0) - (clicks[a] ?? 0) || ((labels[a] ?? '') < (labels[b] ?? '') ? -1 : 1);
  };
  const order = selectFirst(labels.length, rows, compare);
  return {
    labels: Array.from(order, (at) => labels[at] ?? ''),
    clicks: Array.from(order, (at) => clicks[at] ?? 0),
    visitors: Array.from(order, (at) => visitors[at] ?? 0),
    size: labels.length,
    clicksSum: sumValues(clicks),
    visitorsSum: sumValues(visitors),
  };
}

export function relabelling(query: StatisticsQuery, dimension: Dimension): Ranking['relabel'] {
  if (query.underscored?.includes(dimension)) return (label) => label.replaceAll('.', '_');
  const shown = shownValues(query, dimension);
  return shown === undefined ? null : (label) => shown.get(label) ?? label;
}

/** Returns all values in natural order, including values without clicks, for lists by time. */
export function serialBreakdown(counts: ValueCounts, labels: readonly string[]): Breakdown {
  const clicks = Array.from(labels, (_, value) => counts.clicks[value] ?? 0);
  const visitors = Array.from(labels, (_, value) => counts.visitors[value] ?? 0);
  return {
    labels: [...labels],
    clicks,
    visitors,
    size: labels.length,
    clicksSum: sumValues(clicks),
    visitorsSum: sumValues(visitors),
  };
}

/** Rows in any order, as parallel arrays. */
interface Rows {
  labels: string[];
  clicks: number[];
  visitors: number[];
}

function metRows(counts: ValueCounts, labelOf: (value: number) => string | null): Rows {
  const rows: Rows = { labels: [], clicks: [], visitors: [] };
  for (let value = 0; value < counts.clicks.length; value += 1) {
    const clicks = counts.clicks[value] ?? 0;
    const label = clicks > 0 ? labelOf(value) : null;
    if (label === null) continue;
    rows.labels.push(label);
    rows.clicks.push(clicks);
    rows.visitors.push(counts.visitors[value] ?? 0);
  }
  return rows;
}

function mergedRows(met: Rows, relabel: (label: string) => string): Rows {
  const rows: Rows = { labels: [], clicks: [], visitors: [] };
  const places = new Map<string, number>();
  met.labels.forEach((plain, at) => {
    const label = relabel(plain);
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

/** Sorts only candidates for the first rows, so it takes little longer than a single pass. */
function selectFirst(
  n: number,
  count: number,
  compare: (a: number, b: number) => number,
): Uint32Array {
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

function sumValues(values: ArrayLike<number>): number {
  let total = 0;
  for (let at = 0; at < values.length; at += 1) total += values[at] ?? 0;
  return total;
}

/** Summary figures that require no row scan if the query counts all rows. */
export type SummaryFigures = Omit<SourceFigures, 'source'>;

export interface ShardCounts {
  readonly partials: readonly PartialCount[];
  /** Null if rows had to be scanned. */
  readonly figures: SummaryFigures | null;
}

export interface ResultOptions {
  readonly interner: StringInterner;
  /** Links by ID; their aliases are the labels for `short_code`. */
  readonly links: ReadonlyMap<string, LinkName>;
  readonly marks: LinkMarks | null;
  /** Maximum rows per breakdown, largest first; breakdowns by time are never truncated. */
  readonly rows: number;
  readonly cancellation: Cancellation;
}

export function buildResult(
  query: StatisticsQuery,
  counted: ShardCounts,
  options: ResultOptions,
): StatisticsResult {
  const breakdowns: Partial<Record<Dimension, Breakdown>> = {};
  const summary = summarize(counted, options.interner);
  query.dimensions.forEach((dimension, place) => {
    options.cancellation.check();
    const counts = summed(counted.partials.map(({ lists }) => lists[place]));
    const breakdown = buildBreakdown(dimension, counts, query, options);
    breakdowns[dimension] =
      dimension === 'tag'
        ? { ...breakdown, clicksSum: summary.clicks, visitorsSum: summary.visitors }
        : breakdown;
  });
  return { summary, breakdowns };
}

function summed(lists: readonly (ValueCounts | undefined)[]): ValueCounts {
  const size = lists.reduce((most, list) => Math.max(most, list?.clicks.length ?? 0), 0);
  const sum = { clicks: new Uint32Array(size), visitors: new Uint32Array(size) };
  for (const list of lists) {
    for (const name of ['clicks', 'visitors'] as const) {
      const into = sum[name];
      list?.[name].forEach((count, value) => {
        into[value] = (into[value] ?? 0) + count;
      });
    }
  }
  return sum;
}

function buildBreakdown(
  dimension: Dimension,
  counts: ValueCounts,
  query: StatisticsQuery,
  { interner, links, marks, rows, cancellation }: ResultOptions,
): Breakdown {
  if (dimension === 'time') return serialBreakdown(counts, queryBuckets(query).labels);
  const ranking = { rows, relabel: relabelling(query, dimension), cancellation };
  if (dimension === 'short_code') {
    const { labels: ids } = interner.column('link');
    return rankedBreakdown(counts, (value) => links.get(ids[value] ?? '')?.alias ?? null, ranking);
  }
  const labels = dimension === 'tag' ? (marks?.labels ?? []) : interner.column(dimension).labels;
  return rankedBreakdown(counts, (value) => labels[value] ?? null, ranking);
}

function summarize({ partials, figures }: ShardCounts, interner: StringInterner): Summary {
  const sum = (getCount: (partial: PartialCount) => number): number =>
    partials.reduce((total, partial) => total + getCount(partial), 0);
  const [clicks, visitors] = [sum((part) => part.clicks), sum((part) => part.visitors)];
  const withoutVisitor = sum((part) => part.withoutVisitor);
  if (figures !== null) {
    const { from: first, to, redirectMs, untimed, last } = figures;
    const lastLabel = (name: keyof typeof last): string => last[name] ?? DIMENSIONS[name].missing;
    const labels = {
      browser: lastLabel('browser'),
      os: lastLabel('os'),
      country: lastLabel('country'),
    };
    const latest = { at: to, ...labels };
    return { clicks, visitors, withoutVisitor, first, last: latest, redirectMs, untimed };
  }
  let first = Infinity;
  let last: PartialCount['last'] = null;
  for (const part of partials) {
    first = Math.min(first, part.first ?? Infinity);
    if (part.last !== null && part.last.at > (last?.at ?? -Infinity)) last = part.last;
  }
  const label = (name: 'browser' | 'os' | 'country'): string =>
    interner.column(name).labels[last?.[name] ?? 0] ?? '';
  return {
    clicks,
    visitors,
    withoutVisitor,
    first: last && first,
    last: last && {
      at: last.at,
      browser: label('browser'),
      os: label('os'),
      country: label('country'),
    },
    redirectMs: sum((part) => part.redirectMs),
    untimed: sum((part) => part.untimed),
  };
}

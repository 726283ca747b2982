import type { Cancellation } from '../query/cancellation';
import type { Dimension } from '../query/dimensions';
import { shownValues } from '../query/merged-values';
import type { StatisticsQuery } from '../query/statistics-query';
import type { Breakdown } from '../query/statistics-result';

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

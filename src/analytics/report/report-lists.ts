import type { Dimension } from '../../engines/click-engine/dimensions';
import type { Metric } from '../../engines/click-engine/statistics-query';
import type { BreakdownPage, StatisticsResult } from '../../engines/click-engine/statistics-result';

/** A point of a list: `{<dimension>: text, <metric>: count, <metric>_percentage: number}`. */
export type Point = Record<string, string | number>;

/** Sums of a breakdown over all its values, also over those that were cut. */
export interface Sums {
  clicksSum: number;
  visitorsSum: number;
}

/** A part of a whole in percent, two decimals; 0 of nothing is 0. */
export function percentage(part: number, whole: number): number {
  return whole === 0 ? 0 : Math.round((part * 10_000) / whole) / 100;
}

/** The key of a list in `metrics` (docs/contract.md#9.3). */
export function listKey(metric: Metric, dimension: Dimension): string {
  return `${metric}_by_${dimension}`;
}

/** The keys of the points of a list, in their order. */
export function pointKeys(metric: Metric, dimension: Dimension) {
  return [dimension, metric, `${metric}_percentage`] as const;
}

/** The points of a list, for files. */
export function toPoints(
  rows: readonly { label: string; clicks: number; visitors: number }[],
  metric: Metric,
  dimension: Dimension,
  { clicksSum, visitorsSum }: Sums,
): Point[] {
  const [, , share] = pointKeys(metric, dimension);
  return rows.map(({ label, clicks, visitors }) => {
    const [value, sum] = metric === 'clicks' ? [clicks, clicksSum] : [visitors, visitorsSum];
    return { [dimension]: label, [metric]: value, [share]: percentage(value, sum) };
  });
}

/**
 * The member `metrics` of an answer, a list of points for each dimension and metric, as JSON. It is
 * written where clicks are counted: ten lists are some 400 KB, which would hold up redirects for ten
 * milliseconds in a web process.
 */
export function reportLists(
  { breakdowns }: StatisticsResult,
  dimensions: readonly Dimension[],
  metrics: readonly Metric[],
): Uint8Array {
  const lists = dimensions.flatMap((dimension) => {
    const breakdown = breakdowns[dimension];
    if (breakdown === undefined) throw new RangeError(`No result by ${dimension}`);
    const labels = breakdown.labels.map((label) => JSON.stringify(label));
    return metrics.map((metric) => {
      const points = pointsText({ ...breakdown, labels }, metric, dimension, breakdown);
      return `"${listKey(metric, dimension)}":[${points}]`;
    });
  });
  // Memory of its own, where a small Buffer would bring the whole of Node's pool to other threads.
  return new TextEncoder().encode(`{${lists.join(',')}}`);
}

/** The same as JSON.stringify of the points, whose labels are JSON already. */
function pointsText(
  { labels, clicks, visitors }: BreakdownPage,
  metric: Metric,
  dimension: Dimension,
  { clicksSum, visitorsSum }: Sums,
): string {
  const [label, value, share] = pointKeys(metric, dimension).map((key) => `"${key}":`);
  const [values, sum] = metric === 'clicks' ? [clicks, clicksSum] : [visitors, visitorsSum];
  let text = '';
  for (let at = 0; at < labels.length; at += 1) {
    const count = values[at] ?? 0;
    if (at > 0) text += ',';
    text += `{${label}${labels[at] ?? ''},${value}${count},${share}${percentage(count, sum)}}`;
  }
  return text;
}

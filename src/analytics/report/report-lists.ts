import type {
  BreakdownPage,
  Dimension,
  Metric,
  StatisticsResult,
} from '../../engines/click-engine/query/statistics-query';

/** `{<dimension>: text, <metric>: count, <metric>_percentage: number}` */
export type Point = Record<string, string | number>;

export interface Sums {
  clicksSum: number;
  visitorsSum: number;
}

/** Maximum number of links in a response whose titles are included. */
export const MAX_TITLES = 100;

/** Rounded to two decimals; 0 if `whole` is 0. */
export function percentage(part: number, whole: number): number {
  return whole === 0 ? 0 : Math.round((part * 10_000) / whole) / 100;
}

export function listKey(metric: Metric, dimension: Dimension): string {
  return `${metric}_by_${dimension}`;
}

export function pointKeys(metric: Metric, dimension: Dimension) {
  return [dimension, metric, `${metric}_percentage`] as const;
}

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
 * Runs in the statistics process, because serializing 400 KB in a web process delays redirects by
 * 10 ms.
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
  // Uses no Buffer, because transferring a small Buffer would transfer Node's whole pool.
  return new TextEncoder().encode(`{${lists.join(',')}}`);
}

/** Returns the same text as JSON.stringify would for the points. Labels are already JSON. */
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

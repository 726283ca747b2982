import type { Breakdown } from './figures';
import type { Tally } from './tally';

/** Values that occurred, by clicks descending, ties by value ascending. */
export function rankedBreakdown(
  tally: Tally,
  labelOf: (value: number) => string | null,
): Breakdown {
  const met: { label: string; value: number; clicks: number }[] = [];
  tally.clicks.forEach((clicks, value) => {
    const label = clicks > 0 ? labelOf(value) : null;
    if (label !== null) met.push({ label, value, clicks });
  });
  met.sort((a, b) => b.clicks - a.clicks || (a.label < b.label ? -1 : 1));
  return breakdown(
    met.map(({ label }) => label),
    Float64Array.from(met, ({ clicks }) => clicks),
    Float64Array.from(met, ({ value }) => tally.visitors[value] ?? 0),
  );
}

/** All values in their own order, zeros included: what a list over time shows. */
export function serialBreakdown(tally: Tally, labels: readonly string[]): Breakdown {
  return breakdown(
    [...labels],
    Float64Array.from(labels, (_, value) => tally.clicks[value] ?? 0),
    Float64Array.from(labels, (_, value) => tally.visitors[value] ?? 0),
  );
}

function breakdown(labels: string[], clicks: Float64Array, visitors: Float64Array): Breakdown {
  const sum = (values: Float64Array): number => values.reduce((a, b) => a + b, 0);
  return {
    labels,
    clicks,
    visitors,
    size: labels.length,
    clicksSum: sum(clicks),
    visitorsSum: sum(visitors),
  };
}

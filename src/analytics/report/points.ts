import type { ResultRow } from '../engine/statistics-engine';
import type { ApiDimension, Metric } from '../query/api-dimension';
import { percentage } from './rounding';
import type { Point } from './statistics-report';

/** Sums of a breakdown over all its values. */
export interface Sums {
  clicksSum: number;
  visitorsSum: number;
}

export function listKey(metric: Metric, dimension: ApiDimension): string {
  return `${metric}_by_${dimension}`;
}

/** The point of a list; its share is of all values, also of those that were cut. */
export function pointOf(
  row: ResultRow,
  metric: Metric,
  dimension: ApiDimension,
  { clicksSum, visitorsSum }: Sums,
): Point {
  const [value, sum] = metric === 'clicks' ? [row.clicks, clicksSum] : [row.visitors, visitorsSum];
  return {
    [dimension]: row.label,
    [metric]: value,
    [`${metric}_percentage`]: percentage(value, sum),
  };
}

import { DAY_MS, parseTime } from '../../../common/time';
import type { CountedDimension } from '../../../stores/imported-counts/imported-counts';
import type { SeriesBuilder } from '../../../stores/imported-counts/series-builder';
import {
  countryLabel,
  deviceLabel,
  sourceReferrerLabel,
  valueLabel,
} from '../../reading/count-labels';
import { type JsonFields, toFields, toNumber, toText } from '../../reading/json-answer';

const SPOO_LABELS: readonly (readonly [CountedDimension, (value: string) => string])[] = [
  ['browser', valueLabel],
  ['os', valueLabel],
  ['device', deviceLabel],
  ['country', countryLabel],
  ['city', valueLabel],
  ['referrer', sourceReferrerLabel],
];
export const SPOO_STATISTICS_DIMENSIONS = SPOO_LABELS.map(([dimension]) => dimension);
/** Maximum points per list; further points count in the total only. */
const MAX_POINTS = 1000;

/**
 * Sums finer units into UTC days; clicks of longer units count in the total only.
 * @returns the span's clicks; null for an unexpected response
 */
export function addStatistics(series: SeriesBuilder, answer: unknown): number | null {
  const found = toFields(answer);
  const [summary, metrics] = [toFields(found?.summary), toFields(found?.metrics)];
  const clicks = toNumber(summary?.total_clicks);
  if (found === null || summary === null || metrics === null || clicks === null) return null;
  const [first, last] = [summary.first_click, summary.last_click].map((text) =>
    parseTime(toText(text)),
  );
  if (first != null && last != null && clicks > 0) series.addSpan(first, last);
  const strategy = toText(toFields(found.time_bucket_info)?.strategy);
  if (!/^(?:weekly|monthly)$/.test(strategy)) {
    for (const point of metricPoints(metrics, 'time')) {
      const at = parseDay(toText(point.time));
      if (at !== null) series.addUnit(at, point.clicks);
    }
  }
  for (const [dimension, labelOf] of SPOO_LABELS) {
    for (const point of metricPoints(metrics, dimension)) {
      series.addValue(dimension, labelOf(toText(point[dimension])), point.clicks);
    }
  }
  return clicks;
}

function metricPoints(metrics: JsonFields, dimension: string): readonly JsonFields[] {
  const points = metrics[`clicks_by_${dimension}`];
  if (!Array.isArray(points)) return [];
  return points
    .slice(0, MAX_POINTS)
    .map(toFields)
    .filter((point) => point !== null);
}

/** The unit's day; null for a longer unit. */
function parseDay(label: string): number | null {
  const at = /^\d{4}-\d{2}-\d{2}/.test(label) ? parseTime(label.slice(0, 10)) : null;
  return at === null ? null : at - (at % DAY_MS);
}

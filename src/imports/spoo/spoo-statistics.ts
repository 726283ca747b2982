import { DAY_MS, parseTime } from '../../common/time';
import type { CountedDimension } from '../../stores/imported-counts/imported-counts';
import type { SeriesBuilder } from '../../stores/imported-counts/series-builder';
import { countryLabel, deviceLabel, sourceReferrerLabel, valueLabel } from '../api/count-labels';
import { type JsonFields, toFields, toNumber, toText } from '../api/json-answer';

/** Dimensions of spoo.me, with the labels of their values. */
const SPOO_LABELS: readonly (readonly [CountedDimension, (value: string) => string])[] = [
  ['browser', valueLabel],
  ['os', valueLabel],
  ['device', deviceLabel],
  ['country', countryLabel],
  ['city', valueLabel],
  ['referrer', sourceReferrerLabel],
];
export const SPOO_STATISTICS_DIMENSIONS = SPOO_LABELS.map(([dimension]) => dimension);
/** Points of a list that are read; those beyond are in the total alone. */
const MAX_POINTS = 1000;

/**
 * Adds the statistics of a span of time to those of a link, in days of UTC, of which finer units are
 * parts. Longer units are left out: their clicks are in the total alone.
 *
 * @param options `hasDays`: whether its days are those of UTC
 * @returns the clicks of the span; null for an answer of another form
 */
export function addStatistics(
  series: SeriesBuilder,
  answer: unknown,
  { hasDays } = { hasDays: true },
): number | null {
  const found = toFields(answer);
  const [summary, metrics] = [toFields(found?.summary), toFields(found?.metrics)];
  const clicks = toNumber(summary?.total_clicks);
  if (found === null || summary === null || metrics === null || clicks === null) return null;
  const [first, last] = [summary.first_click, summary.last_click].map((text) =>
    parseTime(toText(text)),
  );
  if (first != null && last != null && clicks > 0) series.addSpan(first, last);
  const strategy = toText(toFields(found.time_bucket_info)?.strategy);
  if (hasDays && !/^(?:weekly|monthly)$/.test(strategy)) {
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

/** The day of a unit; null for one that is longer. */
function parseDay(label: string): number | null {
  const at = /^\d{4}-\d{2}-\d{2}/.test(label) ? parseTime(label.slice(0, 10)) : null;
  return at === null ? null : at - (at % DAY_MS);
}

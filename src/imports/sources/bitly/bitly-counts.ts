import { DAY_MS, parseTime } from '../../../common/time';
import type { CountedDimension } from '../../../stores/imported-counts/imported-counts';
import {
  parseSourceCount,
  type SeriesBuilder,
} from '../../../stores/imported-counts/series-builder';
import { countryLabel, deviceLabel, sourceReferrerLabel } from '../../reading/count-labels';
import { toFields, toText } from '../../reading/json-answer';

/** Maximum days of a series: some fifty years. */
const MAX_DAYS = 20_000;
/** Maximum values kept per dimension; further values count in the total only. */
const MAX_KEPT_VALUES = 1000;

export const BITLY_DIMENSIONS = {
  countries: { dimension: 'country', labelOf: countryLabel },
  referrers: { dimension: 'referrer', labelOf: sourceReferrerLabel },
  devices: { dimension: 'device', labelOf: deviceLabel },
} as const satisfies Record<
  string,
  { dimension: CountedDimension; labelOf: (value: string) => string }
>;
export type BitlyDimension = keyof typeof BITLY_DIMENSIONS;

/** Adds a link's clicks by day and returns their number; null for an unexpected response. */
export function addDays(
  series: SeriesBuilder,
  answer: unknown,
  { createdAt, now }: { readonly createdAt: Date | null; readonly now: number },
): number | null {
  const days = readFieldList(answer, 'link_clicks');
  if (days === null || days.length > MAX_DAYS) return null;
  let sum = 0;
  for (const day of days) {
    const at = parseTime(toText(day.date));
    if (at === null) return null;
    const clicks = parseSourceCount(day.clicks);
    if (at < 0 || at > now || clicks === 0) continue;
    const start = at - (at % DAY_MS);
    series.addUnit(start, clicks);
    // No click precedes the link's creation or follows the request.
    const begin = Math.min(Math.max(start, createdAt?.getTime() ?? 0), start + DAY_MS);
    series.addSpan(begin, Math.min(start + DAY_MS, now));
    sum += clicks;
  }
  return sum;
}

/** Adds a link's clicks by a dimension; false for an unexpected response. */
export function addMetrics(series: SeriesBuilder, name: BitlyDimension, answer: unknown): boolean {
  const values = readFieldList(answer, 'metrics');
  const { dimension, labelOf } = BITLY_DIMENSIONS[name];
  for (const { value, clicks } of values?.slice(0, MAX_KEPT_VALUES) ?? []) {
    series.addValue(dimension, labelOf(toText(value)), clicks);
  }
  return values !== null;
}

function readFieldList(
  answer: unknown,
  name: string,
): readonly Readonly<Record<string, unknown>>[] | null {
  const list = toFields(answer)?.[name];
  if (!Array.isArray(list)) return null;
  const found = list.map(toFields);
  return found.every((fields) => fields !== null) ? found : null;
}

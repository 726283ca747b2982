import { DAY_MS, parseTime } from '../../common/time';
import {
  clicksOfUnits,
  type CountedDimension,
  type CountSeries,
} from '../../stores/imported-counts/imported-counts';
import { SeriesBuilder } from '../../stores/imported-counts/series-builder';
import { toText } from '../api/json-answer';
import { addStatistics } from './spoo-statistics';

/** Clicks by day, in the older export format (docs/contract.md#13.3). */
export const SPOO_DAYS = 'counter';
export const SPOO_COUNT_DIMENSIONS: Readonly<Record<string, CountedDimension>> = {
  browser: 'browser',
  os_name: 'os',
  country: 'country',
  referrer: 'referrer',
};

type Document = Readonly<Record<string, unknown>>;

/** Clicks by UTC day and dimension; null if the document has none. */
export function countsOfDocument(document: Document): CountSeries | null {
  const series = new SeriesBuilder({ granularity: 'day', timezone: 'UTC' });
  const isUtc = /^(?:|utc|etc\/utc|gmt)$/i.test(toText(document.timezone));
  addStatistics(series, document, { hasDays: isUtc });
  for (const [date, clicks] of dictionaryEntries(document[SPOO_DAYS])) {
    const at = parseTime(date);
    if (at === null || at < 0 || at > Date.now()) continue;
    const day = at - (at % DAY_MS);
    series.addUnit(day, clicks);
    // Days without clicks also belong to the link's life.
    series.addSpan(day, Math.min(day + DAY_MS, lastClickTime(document, day)));
  }
  for (const [name, dimension] of Object.entries(SPOO_COUNT_DIMENSIONS)) {
    for (const [label, clicks] of dictionaryEntries(document[name])) {
      series.addValue(dimension, label, clicks);
    }
  }
  const built = series.build();
  const isEmpty = clicksOfUnits(built) === 0 && Object.keys(built.by).length === 0;
  return isEmpty ? null : built;
}

/** The moment after the last click if it is on this day; otherwise the day's end. */
function lastClickTime(document: Document, day: number): number {
  const lastClick = document['last-click'];
  const at = typeof lastClick === 'string' ? parseTime(lastClick) : null;
  return at !== null && at >= day && at < day + DAY_MS ? at + 1000 : day + DAY_MS;
}

function dictionaryEntries(value: unknown): [string, unknown][] {
  const isDictionary = typeof value === 'object' && value !== null && !Array.isArray(value);
  return isDictionary ? Object.entries(value) : [];
}

import { boundedJson } from '../../../common/http/json-bodies';
import { HOUR_MS, parseTime } from '../../../common/time';
import type { CountedDimension } from '../../../stores/imported-counts/imported-counts';
import { parseSourceCount, SeriesBuilder } from '../../../stores/imported-counts/series-builder';
import { countryName } from '../../../infrastructure/geoip/geo.reader';
import { zonedTime } from '../../reading/zoned-time';
import type { NamedRow } from './dump-rows';
import type { HoursSource } from './dump.reader';

const COUNTED_COLUMNS: readonly (readonly [CountedDimension, string, string])[] = [
  ['browser', 'br_chrome', 'Chrome'],
  ['browser', 'br_edge', 'Edge'],
  ['browser', 'br_firefox', 'Firefox'],
  ['browser', 'br_ie', 'Internet Explorer'],
  ['browser', 'br_opera', 'Opera'],
  ['browser', 'br_safari', 'Safari'],
  ['browser', 'br_other', 'Other'],
  ['os', 'os_android', 'Android'],
  ['os', 'os_ios', 'iOS'],
  ['os', 'os_linux', 'Linux'],
  ['os', 'os_macos', 'Mac OS X'],
  ['os', 'os_windows', 'Windows'],
  ['os', 'os_other', 'Other'],
];

/** Later times are out of range for time zone conversion. */
const LAST_HOUR = Date.UTC(9999, 11, 31);

/** Kutt's table `visits`: a row per link and hour, with the time of its first visit. */
export const KUTT_HOURS: HoursSource = {
  kind: 'visits',
  keyOf: (row) => row.get('link_id') ?? '',
  clicksOf: (row) => parseSourceCount(row.get('total')),
  begin: (timezone) => new SeriesBuilder({ granularity: 'hour', timezone }),
  add(into, row, { timezone, now }) {
    const hour = parseHour(row.get('created_at') ?? '', timezone);
    if (hour === null || hour.first > now) return false;
    into.addUnit(hour.start, row.get('total'));
    // No click follows the dump.
    into.addSpan(hour.first, Math.min(hour.start + HOUR_MS, now));
    for (const [dimension, column, label] of COUNTED_COLUMNS) {
      into.addValue(dimension, label, row.get(column));
    }
    for (const [code, clicks] of columnEntries(row, 'countries')) {
      into.addValue('country', kuttCountryLabel(code), clicks);
    }
    for (const [host, clicks] of columnEntries(row, 'referrers')) {
      into.addValue('referrer', host === 'direct' ? 'Direct' : host, clicks);
    }
    return true;
  },
};

/** The first visit, and the start of its hour in the zone; null for an invalid time. */
function parseHour(text: string, zone: string): { first: number; start: number } | null {
  const at = parseTime(text.trim());
  if (at === null || at < 0 || at > LAST_HOUR) return null;
  const hour = at - (at % HOUR_MS);
  const start = zonedTime(hour, zone);
  return { first: Math.max(start, zonedTime(at - (at % 1000), zone)), start };
}

/** Counts of a dictionary, whose keys contain no full stops; empty if unreadable. */
function columnEntries(row: NamedRow, column: string): [string, unknown][] {
  const read = boundedJson(Buffer.from(row.get(column) ?? '{}'), { depth: 2 });
  const dictionary = 'value' in read ? read.value : null;
  const isDictionary =
    typeof dictionary === 'object' && dictionary !== null && !Array.isArray(dictionary);
  if (!isDictionary) return [];
  return Object.entries(dictionary).map(([key, clicks]) => [key.replaceAll('[dot]', '.'), clicks]);
}

function kuttCountryLabel(code: string): string {
  if (code === 'unknown') return 'Unknown';
  return countryName(code.toUpperCase()) ?? code;
}

import { boundedJson } from '../../common/http/json-bodies';
import { HOUR_MS, parseTime } from '../../common/time';
import type { CountedDimension } from '../../stores/imported-counts/imported-counts';
import { parseSourceCount, SeriesBuilder } from '../../stores/imported-counts/series-builder';
import { countryName } from '../../infrastructure/geoip/geo.reader';
import { zonedTime } from '../zoned-time';
import type { NamedRow } from './dump-rows';
import type { HoursSource } from './dump.reader';

/** Columns of browsers and systems, and their labels here (docs/contract.md#8.4). */
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

/** Later ones are beyond what clocks of a zone show. */
const LAST_HOUR = Date.UTC(9999, 11, 31);

/** Rows of Kutt's table `visits`: an hour of a link each, whose time is that of its first visit. */
export const KUTT_HOURS: HoursSource = {
  kind: 'visits',
  keyOf: (row) => row.get('link_id') ?? '',
  clicksOf: (row) => parseSourceCount(row.get('total')),
  begin: (timezone) => new SeriesBuilder({ granularity: 'hour', timezone }),
  add(into, row, { timezone, now }) {
    const hour = parseHour(row.get('created_at') ?? '', timezone);
    if (hour === null || hour.first > now) return false;
    into.addUnit(hour.start, row.get('total'));
    // Nothing of the hour came after the dump.
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

/** The first visit, and the begin of its hour as clocks of the zone show it; null for no time. */
function parseHour(text: string, zone: string): { first: number; start: number } | null {
  const at = parseTime(text.trim());
  if (at === null || at < 0 || at > LAST_HOUR) return null;
  const hour = at - (at % HOUR_MS);
  const start = zonedTime(hour, zone);
  return { first: Math.max(start, zonedTime(at - (at % 1000), zone)), start };
}

/** Counts of a dictionary, whose keys have no full stops; none of one that cannot be read. */
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

import { boundedJson } from '../../../common/http/json-bodies';
import { HOUR_MS, parseTime } from '../../../common/time';
import { countryName } from '../../../infrastructure/geoip/geo.reader';
import { foreignLinkPasswordHash } from '../../../links/making/link-password';
import type { CountedDimension } from '../../../stores/imported-counts/imported-counts';
import { parseSourceCount, SeriesBuilder } from '../../../stores/imported-counts/series-builder';
import type { CsvField } from '../../reading/csv-fields';
import { linksOfRow } from '../../reading/source-link';
import { zonedTime } from '../../reading/zoned-time';
import type { NamedRow } from './dump-rows';
import type { DumpSource, HoursSource } from './dump.reader';

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

/** Time zone conversion does not support later times. */
const LAST_HOUR = Date.UTC(9999, 11, 31);

/** Kutt's `visits` table has one row per link and hour, with the first visit's time. */
const KUTT_HOURS: HoursSource = {
  kind: 'visits',
  keyOf: (row) => row.get('link_id') ?? '',
  clicksOf: (row) => parseSourceCount(row.get('total')),
  begin: (timezone) => new SeriesBuilder({ granularity: 'hour', timezone }),
  add(into, row, { timezone, now }) {
    const hour = parseHour(row.get('created_at') ?? '', timezone);
    if (hour === null || hour.first > now) return false;
    into.addUnit(hour.start, row.get('total'));
    // Clicks cannot postdate the dump.
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

/** Returns the first visit and the start of its local hour; null if the time is invalid. */
function parseHour(text: string, zone: string): { first: number; start: number } | null {
  const at = parseTime(text.trim());
  if (at === null || at < 0 || at > LAST_HOUR) return null;
  const hour = at - (at % HOUR_MS);
  const start = zonedTime(hour, zone);
  return { first: Math.max(start, zonedTime(at - (at % 1000), zone)), start };
}

/** Parses a JSON object of counts; empty if unreadable. */
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

export const YOURLS: DumpSource = {
  tables: [
    { kind: 'links', has: ['keyword', 'url'] },
    { kind: 'clicks', has: ['shorturl', 'click_time'] },
  ],
  link: (row, { row: number, isGuessed }, _held, options) =>
    linksOfRow(number, ...pickFields(row, YOURLS_FIELDS), { ...options, isGuessed }),
  visits: {
    kind: 'clicks',
    visit: (row) => {
      const text = (name: string): string => row.get(name)?.trim() ?? '';
      const referrer = text('referrer');
      const code = text('country_code').toUpperCase();
      return {
        alias: text('shorturl'),
        // YOURLS stores UTC, regardless of the server's time zone.
        at: parseTime(text('click_time')),
        ip: text('ip_address'),
        userAgent: text('user_agent'),
        referrer: referrer === 'direct' ? '' : referrer,
        countryCode: code === '' ? null : code,
      };
    },
  },
};

const YOURLS_FIELDS: Readonly<Record<string, CsvField>> = {
  keyword: 'alias',
  url: 'long_url',
  title: 'title',
  timestamp: 'created_at',
  clicks: 'clicks',
};

export const KUTT: DumpSource = {
  tables: [
    { kind: 'links', has: ['address', 'target'] },
    { kind: 'visits', has: ['link_id', 'total', 'countries'] },
    { kind: 'domains', has: ['id', 'address'], lacks: ['target'] },
  ],
  held: 'domains',
  hours: KUTT_HOURS,
  link: (row, { row: number, isGuessed, isMysql }, domains, options) => {
    const { timezone } = options;
    // Kutt stores the server's local time in MySQL, and UTC in other databases.
    const times = { timezone: isMysql ? timezone : 'UTC', isGuessed };
    const [fields, columns] = pickFields(row, KUTT_FIELDS);
    const domainId = row.get('domain_id') ?? null;
    const domain = domains.find(
      (candidate) => domainId !== null && candidate.get('id') === domainId,
    );
    const named = [...fields, domain?.get('address') ?? ''];
    const links = linksOfRow(number, named, { ...columns, domain: fields.length }, times);
    const password = row.get('password') ?? null;
    const passwordHash = password === null ? null : foreignLinkPasswordHash(password);
    const isProtected = password !== null && password !== '' && passwordHash === null;
    const visitsKey = row.get('id') ?? '';
    return links.map((link) => ({ ...link, visitsKey, passwordHash, isProtected }));
  },
};

const KUTT_FIELDS: Readonly<Record<string, CsvField>> = {
  address: 'alias',
  target: 'long_url',
  description: 'note',
  created_at: 'created_at',
  expire_in: 'expire_after',
  visit_count: 'clicks',
  banned: 'archived',
  uuid: 'link_id',
};

function pickFields(
  row: NamedRow,
  names: Readonly<Record<string, CsvField>>,
): [string[], Partial<Record<CsvField, number>>] {
  const found = Object.keys(names).filter((name) => row.has(name));
  const columns: Partial<Record<CsvField, number>> = {};
  for (const [place, name] of found.entries()) columns[names[name] as CsvField] = place;
  return [found.map((name) => row.get(name) ?? ''), columns];
}

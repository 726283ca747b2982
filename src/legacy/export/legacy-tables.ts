import type { Cell } from '../../analytics/export/csv-text';
import { smallTable, type Table } from '../../analytics/export/table';
import type { Counts, LegacyStats } from '../stats/legacy-stats';

/** Keys of the v0 object that hold a list. */
type ListKey = {
  [Key in keyof LegacyStats]: LegacyStats[Key] extends Counts ? Key : never;
}[keyof LegacyStats];

/** Sheet name and first column of each list. */
const LISTS: Record<ListKey, readonly [sheet: string, column: string]> = {
  counter: ['Counter', 'Date'],
  browser: ['Browser', 'Browser'],
  country: ['Country', 'Country'],
  os_name: ['OS_Name', 'OS_Name'],
  referrer: ['Referrer', 'Referrer'],
  unique_counter: ['Unique_Counter', 'Date'],
  unique_browser: ['Unique_Browser', 'Browser'],
  unique_country: ['Unique_Country', 'Country'],
  unique_os_name: ['Unique_OS_Name', 'OS_Name'],
  unique_referrer: ['Unique_Referrer', 'Referrer'],
  bots: ['Bots', 'Bot'],
};
const IN_ARCHIVE = Object.keys(LISTS) as ListKey[];
const IN_WORKBOOK: readonly ListKey[] = [
  'browser',
  'counter',
  'country',
  'os_name',
  'referrer',
  'unique_browser',
  'unique_counter',
  'unique_country',
  'unique_os_name',
  'unique_referrer',
  'bots',
];

/** The files of a v0 CSV archive, in the order of contract 13.4. */
export function archiveTables(stats: LegacyStats): Table[] {
  const lists = IN_ARCHIVE.map((key) => listTable(stats, key, key));
  return [smallTable('general_info', null, generalInfo(stats)), ...lists];
}

/** The sheets of a v0 workbook, in the order of contract 13.4. */
export function workbookTables(stats: LegacyStats): Table[] {
  const lists = IN_WORKBOOK.map((key) => listTable(stats, key, LISTS[key][0]));
  return [smallTable('General_Info', null, generalInfo(stats)), ...lists];
}

function listTable(stats: LegacyStats, key: ListKey, name: string): Table {
  return smallTable(name, [LISTS[key][1], 'Count'], Object.entries(stats[key]));
}

function generalInfo(stats: LegacyStats): (readonly [string, Cell])[] {
  return [
    ['TOTAL CLICKS', stats['total-clicks']],
    ['TOTAL UNIQUE CLICKS', stats.total_unique_clicks],
    ['URL', stats.url],
    ['SHORT CODE', stats.short_code],
    ['MAX CLICKS', stats['max-clicks']],
    ['EXPIRATION TIME', stats['expiration-time']],
    ['PASSWORD', stats.password],
    ['CREATION DATE', stats['creation-date']],
    ['CREATION TIME', stats['creation-time']],
    ['EXPIRED', stats.expired],
    ['BLOCK BOTS', stats['block-bots']],
    ['AVERAGE DAILY CLICKS', stats.average_daily_clicks],
    ['AVERAGE MONTHLY CLICKS', stats.average_monthly_clicks],
    ['AVERAGE WEEKLY CLICKS', stats.average_weekly_clicks],
    ['AVERAGE REDIRECTION TIME (in s)', seconds(stats.average_redirection_time)],
    ['LAST CLICK', stats['last-click']],
    ['LAST CLICK BROWSER', stats['last-click-browser']],
    ['LAST CLICK COUNTRY', stats['last-click-country']],
    ['LAST CLICK OS', stats['last-click-os']],
  ];
}

/** Two decimals of a millisecond are five of a second; a bare division would show its noise. */
function seconds(ms: number): number {
  return Math.round(ms * 100) / 100_000;
}

import { type Cell, smallTable, type Table } from '../../infrastructure/files/table';
import type { FileContents } from '../../infrastructure/files/file-formats';
import { type DocumentObject, PagedObject } from '../../infrastructure/files/json';
import {
  LEGACY_LIST_KEYS,
  LEGACY_LISTS,
  type LegacyFacts,
  type LegacyListKey,
} from '../stats/legacy-stats.response';
import type { OpenLegacyStats } from '../stats/legacy-stats.service';

/** Sheet name and each list's first column, in archive order. */
const TABLE_NAMES: Record<LegacyListKey, readonly [sheet: string, column: string]> = {
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
const IN_ARCHIVE = Object.keys(TABLE_NAMES) as LegacyListKey[];
const IN_WORKBOOK = [...IN_ARCHIVE.filter((key) => key !== 'bots').sort(), 'bots'] as const;

export function legacyFile(stats: OpenLegacyStats): FileContents {
  return {
    document: () => legacyDocument(stats),
    archive: () => [
      smallTable('general_info', null, generalInfo(stats.facts)),
      ...IN_ARCHIVE.map((key) => legacyTable(stats, key, key)),
    ],
    workbook: () => [
      smallTable('General_Info', null, generalInfo(stats.facts)),
      ...IN_WORKBOOK.map((key) => legacyTable(stats, key, TABLE_NAMES[key][0])),
    ],
  };
}

/** The object in docs/contract.md#13.3 with complete lists, for JSON and XML files. */
function legacyDocument(stats: OpenLegacyStats): DocumentObject {
  const lists = LEGACY_LIST_KEYS.map((key) => [key, legacyList(stats, key)]);
  return { ...stats.facts, ...(Object.fromEntries(lists) as Record<string, PagedObject<number>>) };
}

function legacyTable(stats: OpenLegacyStats, key: LegacyListKey, name: string): Table {
  const { pages } = legacyList(stats, key);
  return { name, header: [TABLE_NAMES[key][1], 'Count'], rows: pages };
}

/** The list is read page by page and has only days with clicks. */
function legacyList({ facts, figures }: OpenLegacyStats, key: LegacyListKey): PagedObject<number> {
  const { dimension, metric } = LEGACY_LISTS[key];
  const isEmpty = dimension === 'time' && facts['total-clicks'] === 0;
  async function* pages(): AsyncGenerator<(readonly [string, number])[]> {
    if (isEmpty) return;
    for await (const rows of figures.rows(dimension)) {
      yield rows.map((row) => [row.label, row[metric]] as const);
    }
  }
  return new PagedObject(isEmpty ? 0 : (figures.heads[dimension]?.size ?? 0), pages);
}

function generalInfo(stats: LegacyFacts): (readonly [string, Cell])[] {
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

/** Rounds to five decimals, because a plain division has floating-point errors. */
function seconds(ms: number): number {
  return Math.round(ms * 100) / 100_000;
}

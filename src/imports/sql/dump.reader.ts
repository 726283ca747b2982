import type { SeriesBuilder } from '../../stores/imported-counts/series-builder';
import { importFilePath, type Import } from '../import';
import { preparePlainFile } from '../plain-file';
import {
  type FoundRow,
  type FoundVisit,
  type ImportReader,
  MAX_PAGE_BYTES,
  MAX_PAGE_ROWS,
  MAX_PAGE_VISITS,
  type ReadPage,
  rowsOrProblem,
  type VisitPage,
} from '../reading/import-reader';
import { type Dump, type DumpIndex, readDumpIndex, type DumpTable } from './dump-index';
import { type DumpPosition, dumpRows, type NamedRow } from './dump-rows';
import { countParts, partOfDump } from './visit-parts';

/** Rows of other tables that are held, such as those of domains. */
const MAX_HELD_ROWS = 10_000;
const MAX_HELD_BYTES = 4 * 1024 * 1024;
/** Bytes of the dump after which a page takes no further visit. */
const MAX_PAGE_VISIT_BYTES = 16 * 1024 * 1024;

/** Longest time that a step reads to make the index of a dump. */
const MAX_INDEX_MS = 3000;

/** Position of a page before which the dump has to be indexed further. */
interface IndexPosition {
  readonly indexed: number;
}

/** A row's number, and how the dump is to be read. */
export interface RowAbout {
  readonly row: number;
  readonly isGuessed: boolean;
  readonly isMysql: boolean;
}

/** A service whose dumps can be read. */
export interface DumpSource {
  /** The table of links comes first. */
  readonly tables: readonly DumpTable[];
  /** Kind of the table of single visits, and what a row of it says; absent without one. */
  readonly visits?: { readonly kind: string; readonly visit: (row: NamedRow) => FoundVisit };
  /** Instead of them a table whose rows are hours of a link. */
  readonly hours?: HoursSource;
  /** Kind of a small table by whose rows links are understood; all of them are held. */
  readonly held?: string;
  readonly link: (
    row: NamedRow,
    about: RowAbout,
    held: readonly NamedRow[],
    options: Import['options'],
  ) => FoundRow[];
}

/** A table whose rows sum up the visits of an hour and link. */
export interface HoursSource {
  readonly kind: string;
  /** By which the row knows its link. */
  readonly keyOf: (row: NamedRow) => string;
  readonly clicksOf: (row: NamedRow) => number;
  readonly begin: (timezone: string) => SeriesBuilder;
  /** Takes a row in; false for one whose time cannot be. */
  readonly add: (
    into: SeriesBuilder,
    row: NamedRow,
    about: { readonly timezone: string; readonly now: number },
  ) => boolean;
}

/** Links of a dump, counted from 1 in its order, and its visits. */
export function dumpReader(source: DumpSource): ImportReader {
  return {
    ...(source.hours !== undefined && { hasSums: true }),
    ...((source.visits ?? source.hours) !== undefined && {
      visits: async (
        dataImport: Import,
        position: DumpPosition | null,
        isWanted: (key: string) => boolean,
      ) =>
        readDumpVisits(dataImport, await openDump(dataImport, source), position, source, isWanted),
      visitParts: {
        count: async (dataImport: Import) =>
          countParts((await openDump(dataImport, source)).index, visitsKind(source)),
        page: async (dataImport: Import, part: number, position: DumpPosition | null) => {
          const dump = await openDump(dataImport, source);
          const key = (row: NamedRow) => visitKey(row, source);
          const own = await partOfDump(dump, part, visitsKind(source), key, dataImport.copies);
          return readDumpVisits(dataImport, own, position, source, () => true);
        },
      },
    }),
    async page(
      dataImport: Import,
      at: DumpPosition | IndexPosition | null,
      firstRow: number,
    ): Promise<ReadPage> {
      const path = await preparePlainFile(importFilePath(dataImport), dataImport.copies);
      const index = await readDumpIndex(path, source.tables, MAX_INDEX_MS);
      if (typeof index === 'number') {
        return { rows: [], nextRow: firstRow, next: { indexed: index } satisfies IndexPosition };
      }
      const position = at !== null && 'segment' in at ? at : null;
      const [links] = source.tables;
      const held = source.held === undefined ? [] : await heldRows(path, index, source.held);
      const rows: FoundRow[] = [];
      let row = firstRow;
      let bytes = 0;
      let before = position?.offset ?? 0;
      for await (const found of dumpRows(path, index, links?.kind ?? '', position)) {
        const { values, problem, isGuessed, end } = found.row;
        const about = { row, isGuessed, isMysql: index.dialect === 'mysql' };
        if (values === null) rows.push({ row, problem: problem ?? 'SQL that cannot be read' });
        else {
          const link = () => source.link(found.named, about, held, dataImport.options);
          rows.push(...(await rowsOrProblem(row, link)));
        }
        row++;
        bytes += Math.max(0, end - before);
        before = end;
        if (row - firstRow >= MAX_PAGE_ROWS || bytes >= MAX_PAGE_BYTES)
          return { rows, nextRow: row, next: found.position };
      }
      return { rows, nextRow: row, next: null };
    },
  };
}

/** Kind of the table of visits. */
function visitsKind({ visits, hours }: DumpSource): string {
  return (visits ?? hours)?.kind ?? '';
}

/** By which a row of it knows its link. */
function visitKey(row: NamedRow, { visits, hours }: DumpSource): string {
  return visits?.visit(row).alias ?? hours?.keyOf(row) ?? '';
}

async function openDump(dataImport: Import, { tables }: DumpSource): Promise<Dump> {
  const path = await preparePlainFile(importFilePath(dataImport), dataImport.copies);
  const index = await readDumpIndex(path, tables);
  if (typeof index === 'number') throw new Error('A dump is indexed in part alone');
  return { path, index };
}

function readDumpVisits(
  dataImport: Import,
  dump: Dump,
  position: DumpPosition | null,
  source: DumpSource,
  isWanted: (key: string) => boolean,
): Promise<VisitPage> {
  return source.hours === undefined
    ? pageOfSingles(dump, position, source, isWanted)
    : pageOfHours(dataImport, dump, position, source.hours, isWanted);
}

async function pageOfSingles(
  { path, index }: Dump,
  position: DumpPosition | null,
  { visits }: DumpSource,
  isWanted: (alias: string) => boolean,
): Promise<VisitPage> {
  const found: FoundVisit[] = [];
  if (visits === undefined) return { visits: found, next: null };
  let [count, bytes] = [0, 0];
  for await (const { row, named, position: next } of dumpRows(path, index, visits.kind, position)) {
    const visit = row.values === null ? null : visits.visit(named);
    if (visit !== null && isWanted(visit.alias)) found.push(visit);
    count++;
    bytes += row.bytes;
    if (count >= MAX_PAGE_VISITS || bytes >= MAX_PAGE_VISIT_BYTES) return { visits: found, next };
  }
  return { visits: found, next: null };
}

/** Hours of links, those of one link together; a page is as long as its texts, which are of visitors. */
async function pageOfHours(
  dataImport: Import,
  { path, index }: Dump,
  position: DumpPosition | null,
  hours: HoursSource,
  isWanted: (key: string) => boolean,
): Promise<VisitPage> {
  const timezone = index.dialect === 'mysql' ? dataImport.options.timezone : 'UTC';
  const about = { timezone, now: dataImport.createdAt.getTime() };
  const found = new Map<string, { series: SeriesBuilder; clicks: number; unread: number }>();
  const page = (next: DumpPosition | null): VisitPage => ({
    visits: [],
    counts: [...found].map(([key, { series, clicks, unread }]) => {
      return { key, counts: series.build(), clicks, unread };
    }),
    next,
  });
  let [count, bytes] = [0, 0];
  for await (const { row, named, position: next } of dumpRows(path, index, hours.kind, position)) {
    const key = row.values === null ? '' : hours.keyOf(named);
    if (key !== '' && isWanted(key)) {
      let link = found.get(key);
      if (link === undefined) {
        found.set(key, (link = { series: hours.begin(timezone), clicks: 0, unread: 0 }));
      }
      const clicks = hours.clicksOf(named);
      if (hours.add(link.series, named, about)) link.clicks += clicks;
      else link.unread += clicks;
    }
    count++;
    bytes += row.bytes;
    if (count >= MAX_PAGE_VISITS || bytes >= MAX_PAGE_VISIT_BYTES) return page(next);
  }
  return page(null);
}

/** The first rows of a table, which are read anew with each page. */
async function heldRows(path: string, index: DumpIndex, kind: string): Promise<NamedRow[]> {
  const rows: NamedRow[] = [];
  let [count, bytes] = [0, 0];
  for await (const { row, named } of dumpRows(path, index, kind, null)) {
    if (row.values !== null) rows.push(named);
    count++;
    bytes += row.bytes;
    if (count >= MAX_HELD_ROWS || bytes >= MAX_HELD_BYTES) break;
  }
  return rows;
}

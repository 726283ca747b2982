import { open } from 'node:fs/promises';
import { FileWindow } from '../csv/csv-records';
import type { SeriesBuilder } from '../../imported-counts/series-builder';
import { filePathOf, type Import } from '../import';
import { plainFileOf } from '../plain-file';
import {
  type FoundRow,
  type FoundVisit,
  type ImportReader,
  MAX_PAGE_BYTES,
  MAX_PAGE_ROWS,
  MAX_PAGE_VISITS,
  type ReadPage,
  type VisitPage,
} from '../reading/import-reader';
import {
  type DumpIndex,
  dumpIndexOf,
  type DumpRow,
  type DumpTable,
  rowsOfSegment,
} from './dump-index';
import type { SqlValue } from './sql-values';

/** Some hundred thousand visits: a part of them is read by going through all. */
const PART_BYTES = 32 * 1024 * 1024;
/** Rows of other tables that are held, such as those of domains. */
const MAX_HELD_ROWS = 10_000;
/** Texts of hours that a page takes at most. */
const MAX_PAGE_VISIT_BYTES = 16 * 1024 * 1024;

/** A dumped row by the names of its columns. */
export type NamedRow = ReadonlyMap<string, SqlValue>;

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

interface DumpPosition {
  readonly segment: number;
  readonly offset: number;
}

/** Rows of one kind in a dump from a position on. */
export async function* dumpRows(
  path: string,
  index: DumpIndex,
  kind: string,
  from: DumpPosition | null,
): AsyncGenerator<{ row: DumpRow; named: NamedRow; position: DumpPosition }> {
  const file = await open(path, 'r');
  try {
    for (const [place, segment] of index.segments.entries()) {
      if (segment.kind !== kind || place < (from?.segment ?? 0)) continue;
      const offset = place === from?.segment ? from.offset : segment.from;
      const window = new FileWindow((into, at) => file.read(into, 0, into.length, at), offset);
      for await (const row of rowsOfSegment(window, index, segment)) {
        const named = new Map(segment.columns.map((name, i) => [name, row.values?.[i] ?? null]));
        yield { row, named, position: { segment: place, offset: row.end } };
      }
    }
  } finally {
    await file.close();
  }
}

/** Links of a dump, counted from 1 in its order, and its visits. */
export function dumpReader(source: DumpSource): ImportReader {
  return {
    ...(source.hours !== undefined && { hasSums: true }),
    ...((source.visits ?? source.hours) !== undefined && {
      visits: (of: Import, position: DumpPosition | null, isWanted: (key: string) => boolean) =>
        source.hours === undefined
          ? pageOfVisits(of, position, source, isWanted)
          : pageOfHours(of, position, source, isWanted),
      visitParts: (of: Import) => visitParts(of, source),
    }),
    async page(of: Import, position: DumpPosition | null, firstRow: number): Promise<ReadPage> {
      const path = await plainFileOf(filePathOf(of));
      const index = await dumpIndexOf(path, source.tables);
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
        else rows.push(...source.link(found.named, about, held, of.options));
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

async function pageOfVisits(
  of: Import,
  position: DumpPosition | null,
  { tables, visits }: DumpSource,
  isWanted: (alias: string) => boolean,
): Promise<VisitPage> {
  const path = await plainFileOf(filePathOf(of));
  const index = await dumpIndexOf(path, tables);
  const found: FoundVisit[] = [];
  if (visits === undefined) return { visits: found, next: null };
  for await (const { row, named, position: next } of dumpRows(path, index, visits.kind, position)) {
    const visit = row.values === null ? null : visits.visit(named);
    if (visit !== null && isWanted(visit.alias)) found.push(visit);
    if (found.length >= MAX_PAGE_VISITS) return { visits: found, next };
  }
  return { visits: found, next: null };
}

/** Hours of links, those of one link together; a page is as long as its texts, which are of visitors. */
async function pageOfHours(
  of: Import,
  position: DumpPosition | null,
  { tables, hours }: DumpSource,
  isWanted: (key: string) => boolean,
): Promise<VisitPage> {
  const path = await plainFileOf(filePathOf(of));
  const index = await dumpIndexOf(path, tables);
  const timezone = index.dialect === 'mysql' ? of.options.timezone : 'UTC';
  const about = { timezone, now: of.createdAt.getTime() };
  const found = new Map<string, { series: SeriesBuilder; clicks: number; unread: number }>();
  const page = (next: DumpPosition | null): VisitPage => ({
    visits: [],
    counts: [...found].map(([key, { series, clicks, unread }]) => {
      return { key, counts: series.build(), clicks, unread };
    }),
    next,
  });
  let [taken, bytes] = [0, 0];
  if (hours === undefined) return page(null);
  for await (const { row, named, position: next } of dumpRows(path, index, hours.kind, position)) {
    const key = row.values === null ? '' : hours.keyOf(named);
    if (key === '' || !isWanted(key)) continue;
    let link = found.get(key);
    if (link === undefined) {
      found.set(key, (link = { series: hours.begin(timezone), clicks: 0, unread: 0 }));
    }
    const clicks = hours.clicksOf(named);
    if (hours.add(link.series, named, about)) link.clicks += clicks;
    else link.unread += clicks;
    taken++;
    bytes += row.values?.reduce((sum, text) => sum + (text?.length ?? 0), 0) ?? 0;
    if (taken >= MAX_PAGE_VISITS || bytes >= MAX_PAGE_VISIT_BYTES) return page(next);
  }
  return page(null);
}

async function visitParts(of: Import, { tables, visits, hours }: DumpSource): Promise<number> {
  const { segments } = await dumpIndexOf(await plainFileOf(filePathOf(of)), tables);
  const own = segments.filter(({ kind }) => kind === (visits ?? hours)?.kind);
  const bytes = own.reduce((sum, { from, to }) => sum + to - from, 0);
  return Math.max(1, Math.ceil(bytes / PART_BYTES));
}

async function heldRows(path: string, index: DumpIndex, kind: string): Promise<NamedRow[]> {
  const rows: NamedRow[] = [];
  for await (const { row, named } of dumpRows(path, index, kind, null)) {
    if (row.values !== null) rows.push(named);
    if (rows.length >= MAX_HELD_ROWS) break;
  }
  return rows;
}

import { appendFile, mkdtemp, readdir, rename, rm, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import type { SeriesBuilder } from '../../../stores/imported-counts/series-builder';
import { importFilePath, type Import } from '../../store/import';
import { preparePlainFile, ANY_ROOM, CopyMeter } from '../../reading/plain-file';
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
} from '../../reading/import-reader';
import { type Dump, type DumpIndex, readDumpIndex, type DumpTable } from './dump-index';
import { type DumpPosition, dumpRows, type NamedRow } from './dump-rows';
import { unlessMissing } from '../../../common/unless-missing';
import { copyLine } from './sql-values';

/** Dump bytes per part: small enough for a page, so that each link is updated only once. */
const PART_BYTES = 1536 * 1024;
/** Maximum number of parts; each part needs a write buffer. */
const MAX_PARTS = 1024;
const BUFFER_CHARACTERS = 32 * 1024;

function countParts(index: DumpIndex, kind: string): number {
  const own = index.segments.filter((segment) => segment.kind === kind);
  const bytes = own.reduce((sum, { from, to }) => sum + to - from, 0);
  return Math.max(1, Math.min(MAX_PARTS, Math.ceil(bytes / PART_BYTES)));
}

/** Groups visits by link. A page in chronological order would update too many links. */
async function partOfDump(
  dump: Dump,
  part: number,
  kind: string,
  keyOf: (row: NamedRow) => string,
  room = ANY_ROOM,
): Promise<Dump> {
  const folder = `${dump.path}.parts`;
  const path = join(folder, String(part));
  const stats = await stat(path).catch(unlessMissing);
  if (stats === undefined) {
    await createFolder(folder, (to) => writeParts(dump, to, kind, keyOf, new CopyMeter(room)));
  }
  const { size: to } = stats ?? (await stat(path));
  const columns = kindColumns(dump.index, kind);
  const segments = [{ kind, form: 'copy' as const, columns, from: 0, to }];
  return { path, index: { dialect: dump.index.dialect, segments } };
}

/** Atomic. First removes files from stalled attempts, so that these cannot change the new files. */
async function createFolder(
  folder: string,
  write: (temporary: string) => Promise<void>,
): Promise<void> {
  for (const name of await readdir(dirname(folder))) {
    if (!name.startsWith(`${basename(folder)}.`)) continue;
    await rm(join(dirname(folder), name), { recursive: true, force: true });
  }
  const temporary = await mkdtemp(`${folder}.`);
  try {
    await write(temporary);
  } catch (error) {
    await rm(temporary, { recursive: true, force: true });
    throw error;
  }
  await rename(temporary, folder);
}

async function writeParts(
  { path, index }: Dump,
  folder: string,
  kind: string,
  keyOf: (row: NamedRow) => string,
  meter: CopyMeter,
): Promise<void> {
  const columns = kindColumns(index, kind);
  const texts = Array.from({ length: countParts(index, kind) }, () => '');
  const flush = async (part: number): Promise<void> => {
    const text = Buffer.from(texts[part] ?? '');
    await meter.add(text.length);
    await appendFile(join(folder, String(part)), text, { mode: 0o600 });
    texts[part] = '';
  };
  for await (const { row, named } of dumpRows(path, index, kind, null)) {
    if (row.values === null) continue;
    const part = hashText(keyOf(named)) % texts.length;
    const text = (texts[part] ?? '') + copyLine(columns.map((name) => named.get(name) ?? null));
    texts[part] = text;
    if (text.length >= BUFFER_CHARACTERS) await flush(part);
  }
  for (const part of texts.keys()) await flush(part);
}

function kindColumns({ segments }: DumpIndex, kind: string): string[] {
  const own = segments.filter((segment) => segment.kind === kind);
  return [...new Set(own.flatMap(({ columns }) => columns))];
}

function hashText(text: string): number {
  let hash = 0;
  for (let i = 0; i < text.length; i++) hash = (Math.imul(hash, 31) + text.charCodeAt(i)) >>> 0;
  return hash;
}

/** Limits for auxiliary tables, such as domains, which are held in memory. */
const MAX_HELD_ROWS = 10_000;
const MAX_HELD_BYTES = 4 * 1024 * 1024;
/** A page ends with the first visit that exceeds this many dump bytes. */
const MAX_PAGE_VISIT_BYTES = 16 * 1024 * 1024;

const MAX_INDEX_MS = 3000;

interface IndexPosition {
  readonly indexed: number;
}

export interface RowAbout {
  readonly row: number;
  readonly isGuessed: boolean;
  readonly isMysql: boolean;
}

export interface DumpSource {
  /** The first table contains the links. */
  readonly tables: readonly DumpTable[];
  readonly visits?: { readonly kind: string; readonly visit: (row: NamedRow) => FoundVisit };
  /** Alternative to `visits`: a table with a row per link and hour. */
  readonly hours?: HoursSource;
  /** Small table that is held in memory because parsing links requires it. */
  readonly held?: string;
  readonly link: (
    row: NamedRow,
    about: RowAbout,
    held: readonly NamedRow[],
    options: Import['options'],
  ) => FoundRow[];
}

/** A table that counts visits per link and hour. */
export interface HoursSource {
  readonly kind: string;
  readonly keyOf: (row: NamedRow) => string;
  readonly clicksOf: (row: NamedRow) => number;
  readonly begin: (timezone: string) => SeriesBuilder;
  /** Adds a row to the series; false if its time is invalid. */
  readonly add: (
    into: SeriesBuilder,
    row: NamedRow,
    about: { readonly timezone: string; readonly now: number },
  ) => boolean;
}

export function dumpReader(source: DumpSource): ImportReader {
  return {
    ...(source.hours !== undefined && { hasSums: true }),
    ...((source.visits ?? source.hours) !== undefined && {
      visits: {
        count: async (dataImport: Import) =>
          countParts((await openDump(dataImport, source)).index, visitsKind(source)),
        page: async (dataImport: Import, part: number, position: DumpPosition | null) => {
          const dump = await openDump(dataImport, source);
          const key = (row: NamedRow) => visitKey(row, source);
          const own = await partOfDump(dump, part, visitsKind(source), key, dataImport.copies);
          return readDumpVisits(dataImport, own, position, source);
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

function visitsKind({ visits, hours }: DumpSource): string {
  return (visits ?? hours)?.kind ?? '';
}

function visitKey(row: NamedRow, { visits, hours }: DumpSource): string {
  return visits?.visit(row).alias ?? hours?.keyOf(row) ?? '';
}

async function openDump(dataImport: Import, { tables }: DumpSource): Promise<Dump> {
  const path = await preparePlainFile(importFilePath(dataImport), dataImport.copies);
  const index = await readDumpIndex(path, tables);
  if (typeof index === 'number') throw new Error('A dump is only partly indexed');
  return { path, index };
}

function readDumpVisits(
  dataImport: Import,
  dump: Dump,
  position: DumpPosition | null,
  source: DumpSource,
): Promise<VisitPage> {
  return source.hours === undefined
    ? pageOfSingles(dump, position, source)
    : pageOfHours(dataImport, dump, position, source.hours);
}

async function pageOfSingles(
  { path, index }: Dump,
  position: DumpPosition | null,
  { visits }: DumpSource,
): Promise<VisitPage> {
  const found: FoundVisit[] = [];
  if (visits === undefined) return { visits: found, next: null };
  let [count, bytes] = [0, 0];
  for await (const { row, named, position: next } of dumpRows(path, index, visits.kind, position)) {
    if (row.values !== null) found.push(visits.visit(named));
    count++;
    bytes += row.bytes;
    if (count >= MAX_PAGE_VISITS || bytes >= MAX_PAGE_VISIT_BYTES) return { visits: found, next };
  }
  return { visits: found, next: null };
}

async function pageOfHours(
  dataImport: Import,
  { path, index }: Dump,
  position: DumpPosition | null,
  hours: HoursSource,
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
    if (key !== '') {
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

/** Reads the first rows of an auxiliary table; each page reads them again. */
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

import { open, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { EventLoopPauses } from '../../../common/event-loop';
import { unlessMissing } from '../../../common/unless-missing';
import {
  atLeast,
  createdTable,
  identifier,
  insertHeader,
  nextRow,
  passSpace,
  passStatement,
  takeLine,
  takeStatement,
  tableName,
} from './sql-rows';
import { detectDialect, type SqlDialect } from './sql-text';
import { FileWindow } from '../../reading/file-window';
import { ImportFormatError } from '../../reading/source.errors';

/** A table in a source, recognised by its columns, because the name's prefix varies. */
export interface DumpTable {
  readonly kind: string;
  readonly has: readonly string[];
  readonly lacks?: readonly string[];
}

export interface DumpSegment {
  readonly kind: string;
  readonly form: 'insert' | 'copy';
  readonly columns: readonly string[];
  readonly from: number;
  readonly to: number;
}

/** Row positions by table, in any order; stored next to the dump. */
export interface DumpIndex {
  readonly dialect: SqlDialect;
  readonly segments: readonly DumpSegment[];
}

export interface Dump {
  readonly path: string;
  readonly index: DumpIndex;
}

const DUMP_SAMPLE_BYTES = 64 * 1024;
const MAX_SEGMENTS = 10_000;
const MAX_TABLES = 2000;
const MAX_TABLE_NAME = 128;
/** Limits that no table in a known source reaches. */
const MAX_TABLE_COLUMNS = 200;
const MAX_COLUMN_NAMES = 8 * 1024;
/** Maximum column name size in all segments, because each page reads them. */
const MAX_SEGMENT_NAMES = 2 * 1024 * 1024;
/** Bytes that may be reread after malformed statements, in addition to 8 per indexed byte. */
const MAX_REREAD_BYTES = 64 * 1024 * 1024;
const REREAD_SHARE = 8;
const FIRST_WORD_BYTES = 8;
const MAX_COPY = 2048;
const COPY = /^COPY\s+([^\s(]+)\s*\(([^()]*)\)\s+FROM\s+stdin\b[^;]*;[ \t]*\r?\n/i;
interface OpenRows {
  /** Null if the table is not needed. */
  readonly kind: string | null;
  readonly form: DumpSegment['form'];
  readonly columns: readonly string[];
}

/** Indexing progress, stored next to the dump between steps. */
interface IndexProgress {
  readonly dialect: SqlDialect;
  readonly segments: DumpSegment[];
  readonly known: Map<string, readonly string[]>;
  offset: number;
  rows: OpenRows | null;
  isAdjoining: boolean;
  names: number;
  reread: number;
}

/**
 * Indexes a dump in a single pass. Stops after `maxMs`; the next call continues.
 *
 * @returns the index, or the offset reached so far
 * @throws ImportFormatError if the dump does not contain the first table
 */
export async function readDumpIndex(
  path: string,
  tables: readonly DumpTable[],
  maxMs = Infinity,
): Promise<DumpIndex | number> {
  const stored = await readIfThere(`${path}.index`);
  if (stored !== null) return JSON.parse(stored) as DumpIndex;
  const file = await open(path, 'r');
  try {
    const window = new FileWindow((into, at) => file.read(into, 0, into.length, at), 0);
    const kept = await readIfThere(`${path}.index.kept`);
    const progress = kept === null ? await beginIndex(window) : parseProgress(kept);
    window.moveTo(progress.offset);
    window.reread = progress.reread;
    if (!(await new DumpIndexing(window, tables, progress, performance.now() + maxMs).run())) {
      const known = [...progress.known];
      await writeWhole(`${path}.index.kept`, JSON.stringify({ ...progress, known }));
      return progress.offset;
    }
    const { dialect, segments, known } = progress;
    const [wanted] = tables;
    if (!segments.some(({ kind }) => kind === wanted?.kind)) {
      throw new ImportFormatError(foundTables(known, wanted));
    }
    await writeWhole(`${path}.index`, JSON.stringify({ dialect, segments } satisfies DumpIndex));
    await rm(`${path}.index.kept`, { force: true });
    return { dialect, segments };
  } finally {
    await file.close();
  }
}

async function readIfThere(path: string): Promise<string | null> {
  return (await readFile(path, 'utf8').catch(unlessMissing)) ?? null;
}

async function writeWhole(path: string, text: string): Promise<void> {
  await writeFile(`${path}.part`, text, { mode: 0o600 });
  await rename(`${path}.part`, path);
}

function parseProgress(text: string): IndexProgress {
  const read = JSON.parse(text) as Omit<IndexProgress, 'known'> & {
    readonly known: [string, readonly string[]][];
  };
  return { ...read, known: new Map(read.known) };
}

async function beginIndex(window: FileWindow): Promise<IndexProgress> {
  await atLeast(window, DUMP_SAMPLE_BYTES);
  const start = window.bytes.subarray(0, DUMP_SAMPLE_BYTES);
  if (start.includes(0)) throw new ImportFormatError('binary');
  if (await window.startsWith(Buffer.from('\ufeff'))) window.skip(3);
  const begin = { rows: null, isAdjoining: false, names: 0, reread: 0 };
  const found = { segments: [], known: new Map<string, readonly string[]>() };
  return { dialect: detectDialect(start), offset: window.offset, ...begin, ...found };
}

class DumpIndexing {
  private readonly pauses = new EventLoopPauses();

  constructor(
    private readonly window: FileWindow,
    private readonly tables: readonly DumpTable[],
    private readonly progress: IndexProgress,
    private readonly until: number,
  ) {}

  /** False if the time limit was reached before the end of the dump. */
  async run(): Promise<boolean> {
    const { window, progress } = this;
    while (!this.isOver()) {
      const isInRows = progress.rows !== null;
      if (!isInRows && !(await passSpace(window, progress.dialect))) return true;
      await this.pauses.whenDue();
      const rows = progress.rows ?? (await this.header());
      const segment = rows === null ? null : await this.passRows(rows);
      if (segment !== null) this.add(segment);
      progress.isAdjoining = segment !== null;
      progress.offset = window.offset;
      progress.reread = window.reread;
      if (window.reread > MAX_REREAD_BYTES + REREAD_SHARE * window.offset) {
        throw new ImportFormatError('SQL with too many broken statements');
      }
    }
    return false;
  }

  private isOver(): boolean {
    return performance.now() > this.until;
  }

  /** Skips a statement without rows; returns the header of a statement with rows. */
  private async header(): Promise<OpenRows | null> {
    const { window } = this;
    const { known, dialect } = this.progress;
    await atLeast(window, FIRST_WORD_BYTES);
    const word = /^[a-z]+/i
      .exec(window.bytes.toString('latin1', 0, FIRST_WORD_BYTES))?.[0]
      .toUpperCase();
    if (word === 'INSERT' || word === 'REPLACE') {
      const insert = await insertHeader(window);
      const named = insert?.columns && keepBoundedColumns(insert.columns);
      const columns = named ?? known.get(insert?.table ?? '') ?? [];
      if (insert !== null && !known.has(insert.table)) this.keepTable(insert.table, columns);
      const kind = findTableKind(columns, this.tables);
      if (insert !== null && kind !== null) {
        window.skip(insert.length);
        return { kind, form: 'insert', columns };
      }
    } else if (word === 'COPY') {
      await atLeast(window, MAX_COPY);
      const copy = COPY.exec(window.bytes.toString('latin1', 0, MAX_COPY));
      if (copy !== null) {
        window.skip(copy[0].length);
        const columns = keepBoundedColumns((copy[2] ?? '').split(',').map(identifier));
        this.keepTable(tableName(copy[1] ?? ''), columns);
        return { kind: findTableKind(columns, this.tables), form: 'copy', columns };
      }
    } else if (word === 'CREATE') {
      const bytes = await takeStatement(window, dialect);
      const created = bytes === null ? null : createdTable(bytes.toString('latin1'));
      if (created !== null) this.keepTable(created.table, keepBoundedColumns(created.columns));
      return null;
    }
    await passStatement(window, dialect);
    return null;
  }

  private keepTable(table: string, columns: readonly string[]): void {
    const { known } = this.progress;
    const isFit = known.size < MAX_TABLES && table.length <= MAX_TABLE_NAME;
    if (isFit) known.set(table, columns);
  }

  /** Skips rows until they end or time runs out; returns their segment if the table is needed. */
  private async passRows(rows: OpenRows): Promise<DumpSegment | null> {
    const { window, progress } = this;
    const { kind, form, columns } = rows;
    const from = window.offset;
    let to = from;
    progress.rows = rows;
    while (progress.rows !== null && !this.isOver()) {
      await this.pauses.whenDue();
      const hasRow =
        form === 'copy'
          ? (await takeLine(window)) !== null
          : await nextRow(window, progress.dialect);
      if (!hasRow) progress.rows = null;
      if (hasRow || form === 'insert') to = window.offset;
    }
    return kind === null ? null : { kind, form, columns, from, to };
  }

  /** Merges a table's adjacent segments into a single segment. */
  private add(next: DumpSegment): void {
    const { segments, isAdjoining } = this.progress;
    const last = segments.at(-1);
    const follows = last?.to === next.from || (isAdjoining && next.form === 'insert');
    const isSame =
      follows &&
      last?.form === next.form &&
      last.kind === next.kind &&
      (last.columns === next.columns || last.columns.join() === next.columns.join());
    if (isSame) {
      segments[segments.length - 1] = { ...last, to: next.to };
      return;
    }
    segments.push(next);
    this.progress.names += next.columns.join().length;
    const isLong = segments.length > MAX_SEGMENTS || this.progress.names > MAX_SEGMENT_NAMES;
    if (isLong) throw new ImportFormatError('a dump with too many parts');
  }
}

function keepBoundedColumns(columns: readonly string[]): readonly string[] {
  const isLong = columns.length > MAX_TABLE_COLUMNS || columns.join().length > MAX_COLUMN_NAMES;
  return isLong ? [] : columns;
}

function findTableKind(columns: readonly string[], tables: readonly DumpTable[]): string | null {
  const found = tables.find(
    ({ has, lacks = [] }) =>
      has.every((name) => columns.includes(name)) && !lacks.some((name) => columns.includes(name)),
  );
  return found?.kind ?? null;
}

function foundTables(known: ReadonlyMap<string, unknown>, wanted: DumpTable | undefined): string {
  const names = [...known.keys()].slice(0, 10).join(', ');
  const needed = `a table with the columns ${wanted?.has.join(' and ') ?? ''}`;
  return names === ''
    ? `not an SQL dump with ${needed}`
    : `SQL without ${needed}; it has ${names.slice(0, 200)}`;
}

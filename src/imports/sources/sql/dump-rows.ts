import { open } from 'node:fs/promises';
import { EventLoopPauses } from '../../../common/event-loop';
import type { DumpIndex, DumpSegment } from './dump-index';
import {
  insertHeader,
  isBetweenRows,
  isEndOfStatement,
  isRow,
  passSpace,
  passStatement,
  takeLine,
  takeRow,
  UNREADABLE_SQL,
} from './sql-rows';
import { copiedValues, readValues, type SqlValue } from './sql-values';
import { FileWindow, MAX_FIELD_BYTES, MAX_ROW_BYTES } from '../../reading/file-window';
import { SqlRowError } from '../../reading/source.errors';

export type NamedRow = ReadonlyMap<string, SqlValue>;

interface DumpRow {
  readonly end: number;
  /** Size in the dump, at most 1 MiB. */
  readonly bytes: number;
  /** Values in the segment's column order; null if the row is unreadable. */
  readonly values: readonly SqlValue[] | null;
  readonly problem: string | null;
  readonly isGuessed: boolean;
}

export interface DumpPosition {
  readonly segment: number;
  readonly offset: number;
}

export async function* dumpRows(
  path: string,
  index: DumpIndex,
  kind: string,
  from: DumpPosition | null,
): AsyncGenerator<{ row: DumpRow; named: NamedRow; position: DumpPosition }> {
  const file = await open(path, 'r');
  const pauses = new EventLoopPauses();
  try {
    for (const [place, segment] of index.segments.entries()) {
      if (segment.kind !== kind || place < (from?.segment ?? 0)) continue;
      const offset = place === from?.segment ? from.offset : segment.from;
      const window = new FileWindow((into, at) => file.read(into, 0, into.length, at), offset);
      for await (const row of rowsOfSegment(window, index, segment)) {
        const named = new Map(segment.columns.map((name, i) => [name, row.values?.[i] ?? null]));
        await pauses.whenDue();
        yield { row, named, position: { segment: place, offset: row.end } };
      }
    }
  } finally {
    await file.close();
  }
}

async function* rowsOfSegment(
  window: FileWindow,
  { dialect }: DumpIndex,
  { form, to, columns }: DumpSegment,
): AsyncGenerator<DumpRow> {
  while (window.offset < to) {
    if (form === 'copy') {
      const line = await takeLine(window);
      if (line === null) return;
      yield readDumpRow(line, window.offset, columns.length, copiedValues);
      continue;
    }
    if (!(await passSpace(window, dialect)) || window.offset >= to) return;
    if (isRow(window)) {
      const raw = await takeRow(window, dialect);
      yield readDumpRow(raw, window.offset, columns.length, (bytes) => readValues(bytes, dialect));
      continue;
    }
    if (isBetweenRows(window) || isEndOfStatement(window)) {
      window.skip(1);
      continue;
    }
    const header = await insertHeader(window);
    if (header !== null) window.skip(header.length);
    else await passStatement(window, dialect);
  }
}

function readDumpRow(
  { bytes, problem }: { bytes: Buffer | null; problem: string | null },
  end: number,
  columns: number,
  read: (bytes: Buffer) => { values: readonly SqlValue[]; isGuessed: boolean },
): DumpRow {
  const place = { end, bytes: bytes?.length ?? MAX_ROW_BYTES };
  const refused = (text: string): DumpRow => ({
    ...place,
    values: null,
    problem: text,
    isGuessed: false,
  });
  if (bytes === null) return refused(problem ?? UNREADABLE_SQL);
  try {
    const { values, isGuessed } = read(bytes);
    if (values.length !== columns) {
      return refused(`${values.length} values, but the table has ${columns} columns`);
    }
    const isLong = values.some(
      (value) => value !== null && Buffer.byteLength(value) > MAX_FIELD_BYTES,
    );
    return isLong
      ? refused('a field is longer than 64 KiB')
      : { ...place, values, problem: null, isGuessed };
  } catch (error) {
    // Only the row's text is parsed here, so the error becomes the row's problem.
    return refused(error instanceof SqlRowError ? error.message : UNREADABLE_SQL);
  }
}

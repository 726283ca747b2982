import { open } from 'node:fs/promises';
import { EventLoopPauses } from '../../../common/event-loop';
import { type Import, type ImportColumn, importFilePath } from '../../store/import';
import { plainStart, preparePlainFile } from '../../reading/plain-file';
import {
  type FoundRow,
  type ImportReader,
  MAX_PAGE_BYTES,
  MAX_PAGE_ROWS,
  type ReadPage,
  rowsOrProblem,
} from '../../reading/import-reader';
import { DESTINATION_FIELDS, withExported } from '../../reading/json-answer';
import { linksOfRow } from '../../reading/source-link';
import { type CsvColumns, hasAlias, isOwnExport, mappedColumns } from '../../reading/csv-fields';
import { ImportFormatError } from '../../reading/source.errors';
import {
  CSV_START,
  type CsvPosition,
  type CsvRecord,
  csvRecords,
  findSeparator,
  readRecords,
} from './csv-records';
import { toExportedRow } from './exported-row';

const CSV_SAMPLE_BYTES = 64 * 1024;
const MAX_CSV_COLUMNS = 200;
const MARK = Buffer.from('\ufeff');

export interface CsvFile {
  readonly path: string;
  readonly separator: string;
  readonly header: CsvRecord;
}

/** @throws ImportFormatError if the file has no header */
export async function openCsv(path: string): Promise<CsvFile> {
  const { separator, from } = detectForm(await readStart(path));
  for await (const header of csvRecords(path, separator, from)) {
    if (header.problem !== null)
      throw new ImportFormatError(`a file without a header: ${header.problem}`);
    if (header.fields.length > MAX_CSV_COLUMNS)
      throw new ImportFormatError(`a file with more than ${MAX_CSV_COLUMNS} columns`);
    return { path, separator, header };
  }
  throw new ImportFormatError('empty');
}

/** Excel's `sep=` line; other programs quote the line or add empty columns. */
const NAMED_SEPARATOR = /^\s*("?)sep=([!-~\t])\1\2*[ \t]*(?:\r\n?|\n|$)/i;

function detectForm(start: Buffer): { separator: string; from: CsvPosition } {
  const mark = start.subarray(0, MARK.length).equals(MARK) ? MARK.length : 0;
  const text = start.toString('latin1', mark);
  const [line, , separator] = NAMED_SEPARATOR.exec(text) ?? [];
  if (line === undefined || separator === undefined || /["\w]/.test(separator)) {
    return { separator: findSeparator(text), from: CSV_START };
  }
  const row = 1 + line.trimEnd().split(/\r\n?|\n/).length;
  return { separator, from: { offset: mark + line.length, row } };
}

async function readStart(path: string): Promise<Buffer> {
  const file = await open(path, 'r');
  try {
    const start = Buffer.alloc(CSV_SAMPLE_BYTES);
    const { bytesRead } = await file.read(start, 0, CSV_SAMPLE_BYTES, 0);
    return start.subarray(0, bytesRead);
  } finally {
    await file.close();
  }
}

const EXAMPLES = 3;
const MAX_EXAMPLE = 100;
const SHOWN_START = 256 * 1024;

/** Returns the columns with sample values, or an empty list if the file is unreadable. */
export async function csvStart(path: string): Promise<ImportColumn[]> {
  let start: Buffer;
  try {
    start = await plainStart(path, SHOWN_START);
  } catch (error) {
    if (error instanceof ImportFormatError) return [];
    throw error;
  }
  const { separator, from } = detectForm(start.subarray(0, CSV_SAMPLE_BYTES));
  const read = (into: Buffer, at: number) =>
    Promise.resolve({ bytesRead: start.copy(into, 0, at) });
  const rows: (readonly string[])[] = [];
  for await (const { fields, problem } of readRecords(read, separator, from)) {
    if (problem === null) rows.push(fields);
    else if (rows.length === 0) return [];
    if (rows.length > EXAMPLES) break;
  }
  const [header = [], ...examples] = rows;
  return header.slice(0, MAX_CSV_COLUMNS).map((name, place) => ({
    name: name.trim().slice(0, MAX_EXAMPLE),
    examples: examples.flatMap((fields) => fields[place]?.slice(0, MAX_EXAMPLE) || []),
  }));
}

export const csvReader: ImportReader = {
  async page(dataImport: Import, position: CsvPosition | null): Promise<ReadPage> {
    const csv = await openCsv(
      await preparePlainFile(importFilePath(dataImport), dataImport.copies),
    );
    const { header } = csv;
    const { columns } = mappedColumns(header.fields, dataImport.options.mapping);
    const longColumns = jsonColumns(header.fields);
    const pauses = new EventLoopPauses();
    const from = position ?? { offset: header.end, row: header.row + 1 };
    const rows: FoundRow[] = [];
    let at = from;
    let count = 0;
    for await (const record of csvRecords(csv.path, csv.separator, from, longColumns)) {
      rows.push(
        ...(await rowsOrProblem(record.row, () =>
          foundRows(dataImport, header.fields, columns, record),
        )),
      );
      await pauses.whenDue();
      at = { offset: record.end, row: record.row + 1 };
      count++;
      if (count >= MAX_PAGE_ROWS || record.end - from.offset >= MAX_PAGE_BYTES)
        return { rows, nextRow: at.row, next: at };
    }
    return { rows, nextRow: at.row, next: null };
  },
};

/** Columns of a Curtail export that may be longer than a text. */
function jsonColumns(header: readonly string[]): ReadonlySet<number> {
  const names: readonly string[] = isOwnExport(header) ? DESTINATION_FIELDS : [];
  return new Set(names.map((name) => header.indexOf(name)));
}

/** A row may lack trailing fields, or have extra fields if they are empty. */
async function foundRows(
  dataImport: Import,
  header: readonly string[],
  columns: CsvColumns,
  record: CsvRecord,
): Promise<FoundRow[]> {
  const { row, fields, problem, isGuessed } = record;
  if (problem !== null) return [{ row, problem }];
  if (fields.slice(header.length).some((field) => field.trim() !== '')) {
    return [{ row, problem: `${fields.length} columns, but the header has ${header.length}` }];
  }
  const exported = isOwnExport(header) ? toExportedRow(header, fields) : null;
  const options = { ...dataImport.options, isGuessed };
  const found = linksOfRow(row, exported?.fields ?? fields, columns, options);
  const links =
    exported === null
      ? found
      : await Promise.all(found.map((link) => withExported(link, exported.item)));
  if (hasAlias(columns)) return links;
  return links.map((link) => ({ ...link, notes: [...link.notes, 'alias_generated'] }));
}

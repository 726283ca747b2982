import { EventLoopPauses } from '../../../common/event-loop';
import { importFilePath, type Import } from '../../store/import';
import { preparePlainFile } from '../../reading/plain-file';
import {
  type FoundRow,
  type ImportReader,
  MAX_PAGE_BYTES,
  MAX_PAGE_ROWS,
  type ReadPage,
  rowsOrProblem,
} from '../../reading/import-reader';
import { DESTINATION_FIELDS, withExported } from '../../reading/link-settings';
import { linksOfRow } from '../../reading/source-link';
import { type CsvColumns, hasAlias, isOwnExport, mappedColumns } from '../../reading/csv-fields';
import { openCsv } from './csv-file';
import { type CsvPosition, type CsvRecord, csvRecords } from './csv-records';
import { toExportedRow } from './exported-row';

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

import { once } from 'node:events';
import { PassThrough, type Readable } from 'node:stream';
import type * as Excel from 'exceljs';
import { type Cell, type DateCell, safeCell, type Table } from './table';
import { xmlSafe } from './xml';

const MAX_SHEET_ROWS = 1_048_576;
const MAX_SHEET_NAME = 31;
const MAX_CELL_CHARACTERS = 32_767;
const TEXT_WIDTH = 36;
const NUMBER_WIDTH = 10;
const WIDEST = 80;
const PADDING = 4;
/** After this many rows, which are slow to write, other requests are processed. */
const SHEET_ROWS_AT_ONCE = 100;

export function xlsxWorkbook(tables: readonly Table[]): Readable {
  const output = new PassThrough();
  writeWorkbook(tables, output).catch((error: unknown) => {
    output.destroy(error instanceof Error ? error : new Error(String(error)));
  });
  return output;
}

async function writeWorkbook(tables: readonly Table[], output: PassThrough): Promise<void> {
  // Loaded on demand, because the library is large and most services never use it.
  const { stream } = (await import('exceljs')).default;
  const workbook = new stream.xlsx.WorkbookWriter({ stream: output, useStyles: true });
  for (const table of tables) await writeTable(workbook, table, output);
  await workbook.commit();
}

async function writeTable(
  workbook: Excel.stream.xlsx.WorkbookWriter,
  table: Table,
  output: PassThrough,
): Promise<void> {
  let part = 1;
  let sheet = startSheet(workbook, table, part);
  let rows = 1;
  for await (const page of table.rows()) {
    for (const row of page) {
      if (rows === MAX_SHEET_ROWS) {
        sheet.commit();
        part += 1;
        rows = 1;
        sheet = startSheet(workbook, table, part);
      }
      addRow(sheet, row).commit();
      rows += 1;
      if (rows % SHEET_ROWS_AT_ONCE === 0) await drained(output);
    }
    await drained(output);
  }
  sheet.commit();
}

/** If a table exceeds a sheet's row limit, it continues in additional numbered sheets. */
function startSheet(
  workbook: Excel.stream.xlsx.WorkbookWriter,
  { name, header, widths }: Table,
  part: number,
): Excel.Worksheet {
  const suffix = part === 1 ? '' : ` ${part}`;
  const sheet = workbook.addWorksheet(
    escapeXlsx(name.slice(0, MAX_SHEET_NAME - suffix.length)) + suffix,
  );
  // Widths are written before the rows, so they are estimates if rows are read page by page.
  sheet.columns = (widths ?? guessedWidths(header ?? [])).map((width) => ({
    width: Math.min(width + PADDING, WIDEST),
  }));
  if (header !== null) {
    const row = sheet.addRow(header.map(escapeXlsx));
    row.font = { bold: true };
    row.alignment = { horizontal: 'center' };
    row.commit();
  }
  return sheet;
}

function guessedWidths(header: readonly string[]): number[] {
  return header.map((title, column) =>
    Math.max(column === 0 ? TEXT_WIDTH : NUMBER_WIDTH, title.length),
  );
}

function addRow(sheet: Excel.Worksheet, cells: readonly Cell[]): Excel.Row {
  const row = sheet.addRow(cells.map(cellValue));
  cells.forEach((cell, column) => {
    if (isDate(cell)) row.getCell(column + 1).numFmt = cell.format;
  });
  return row;
}

function cellValue(cell: Cell): string | number | boolean | Date | null {
  if (isDate(cell)) return new Date(cell.at);
  return typeof cell === 'string' ? xlsxCell(cell) : cell;
}

function isDate(cell: Cell): cell is DateCell {
  return typeof cell === 'object' && cell !== null;
}

function xlsxCell(cell: string): string {
  return escapeXlsx(xmlSafe(safeCell(cell).slice(0, MAX_CELL_CHARACTERS)));
}

/** Escapes `_x0041_` and similar text, which means `A` in a workbook (ECMA-376, ST_Xstring). */
function escapeXlsx(text: string): string {
  return text.replace(/_(?=x[0-9a-f]{4}_)/gi, '_x005F_');
}

/** Waits for slow readers and lets other requests run. */
async function drained(output: PassThrough): Promise<void> {
  await new Promise((resolve) => setImmediate(resolve));
  if (output.destroyed) throw new Error("The file's reader is gone");
  if (output.writableNeedDrain) await once(output, 'drain');
}

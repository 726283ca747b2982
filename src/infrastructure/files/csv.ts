import { Readable } from 'node:stream';
import { ZipFile } from 'yazl';
import { type Cell, safeCell, type Table } from './table';

/** The UTF-8 mark, without which Excel takes a CSV file for one in the encoding of its country. */
const MARK = Buffer.from('\ufeff');

/**
 * A ZIP with one CSV file for each table, written while the tables are read.
 *
 * @param bom whether each file begins with the UTF-8 mark
 */
export function csvZip(tables: readonly Table[], bom = false): NodeJS.ReadableStream {
  const zip = new ZipFile();
  const output = zip.outputStream as Readable;
  let current: Readable | undefined;
  // One listener for all files: they are read one after the other.
  output.once('close', () => current?.destroy());
  for (const table of tables) {
    // Opened one after the other, when its turn comes; the zip does not look after its errors.
    zip.addReadStreamLazy(`${table.name}.csv`, (open) => {
      const file = Readable.from(fileLines([table], bom));
      file.on('error', (error) => output.destroy(error));
      current = file;
      open(null, file);
    });
  }
  zip.end();
  return output;
}

/** The lines of these tables, one after the other, as one file. */
export function csvText(tables: readonly Table[], bom = false): NodeJS.ReadableStream {
  return Readable.from(fileLines(tables, bom));
}

async function* fileLines(tables: readonly Table[], bom: boolean): AsyncGenerator<Buffer> {
  if (bom) yield MARK;
  for (const table of tables) yield* lines(table);
}

async function* lines(table: Table): AsyncGenerator<Buffer> {
  if (table.header !== null) yield Buffer.from(csvHeader(table.header));
  for await (const page of table.rows()) yield Buffer.from(page.map(csvLine).join(''));
}

/**
 * One line of a CSV file (RFC 4180, CRLF), safe against formulas; null is an empty cell. Every text
 * is quoted, so that a program which separates by `;` or tabs cannot cut a formula out of it.
 */
export function csvLine(cells: readonly Cell[]): string {
  return `${cells.map(csvCell).join(',')}\r\n`;
}

/** The line of a header: names of our own, as docs/contract.md#10 prints them. */
export function csvHeader(names: readonly string[]): string {
  return `${names.join(',')}\r\n`;
}

function csvCell(cell: Cell): string {
  if (cell === null) return '';
  if (typeof cell === 'object') return csvCell(cell.text);
  return typeof cell === 'string' ? `"${safeCell(cell).replaceAll('"', '""')}"` : String(cell);
}

import { Readable } from 'node:stream';
import { ZipFile } from 'yazl';
import { type Cell, safeCell, type Table } from './table';

/** UTF-8 byte-order mark, without which Excel assumes the local encoding. */
const MARK = Buffer.from('\ufeff');

/** Streams a zip with a CSV file per table; with `bom`, each file starts with the UTF-8 mark. */
export function csvZip(tables: readonly Table[], bom = false): NodeJS.ReadableStream {
  const zip = new ZipFile();
  const output = zip.outputStream as Readable;
  let current: Readable | undefined;
  // A single listener is enough, because files are read one at a time.
  output.once('close', () => current?.destroy());
  for (const table of tables) {
    // Each file is opened only when its turn comes; the zip library does not handle read errors.
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

/** RFC 4180, with all text quoted, so that programs that split at `;` find no formulas. */
export function csvLine(cells: readonly Cell[]): string {
  return `${cells.map(csvCell).join(',')}\r\n`;
}

/** Does not quote the names, because they are fixed (docs/contract.md#10). */
export function csvHeader(names: readonly string[]): string {
  return `${names.join(',')}\r\n`;
}

function csvCell(cell: Cell): string {
  if (cell === null) return '';
  if (typeof cell === 'object') return csvCell(cell.text);
  return typeof cell === 'string' ? `"${safeCell(cell).replaceAll('"', '""')}"` : String(cell);
}

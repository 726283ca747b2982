import { Readable } from 'node:stream';
import { ZipFile } from 'yazl';
import { csvHeader, csvLine } from './table';
import type { Table } from './table';

/** A ZIP with one CSV file for each table, written while the tables are read. */
export function csvZip(tables: readonly Table[]): NodeJS.ReadableStream {
  const zip = new ZipFile();
  const output = zip.outputStream as Readable;
  for (const table of tables) {
    // Opened one after the other, when its turn comes; the zip does not look after its errors.
    zip.addReadStreamLazy(`${table.name}.csv`, (open) => {
      const file = Readable.from(lines(table));
      file.on('error', (error) => output.destroy(error));
      output.on('close', () => file.destroy());
      open(null, file);
    });
  }
  zip.end();
  return output;
}

async function* lines(table: Table): AsyncGenerator<Buffer> {
  if (table.header !== null) yield Buffer.from(csvHeader(table.header));
  for await (const page of table.rows()) yield Buffer.from(page.map(csvLine).join(''));
}

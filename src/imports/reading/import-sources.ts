import { csvReader } from '../csv/csv.reader';
import type { ImportSource } from '../import';
import { dumpReader } from '../sql/dump.reader';
import { KUTT, YOURLS } from '../sql/dump-sources';
import { spooReader } from '../spoo/spoo.reader';
import type { ImportReader } from './import-reader';

/** Readers by the words of sources (docs/contract.md#22.1). */
const READERS: Readonly<Record<ImportSource, ImportReader>> = {
  csv: csvReader,
  bitly_csv: csvReader,
  dub_csv: csvReader,
  yourls_csv: csvReader,
  shlink_csv: csvReader,
  yourls_sql: dumpReader(YOURLS),
  kutt_sql: dumpReader(KUTT),
  spoo_export: spooReader,
};

export function readerOf(source: ImportSource): ImportReader {
  return READERS[source];
}

/** Whether the file of a source has columns that can be mapped by hand. */
export function hasColumns(source: ImportSource): boolean {
  return READERS[source] === csvReader;
}

import { open } from 'node:fs/promises';
import { ImportFormatError } from '../plain-file';
import { type CsvRecord, csvRecords, type Separator, separatorOf } from './csv-records';

/** Bytes by which a separator is found. */
const START = 64 * 1024;
const MAX_COLUMNS = 200;

/** A CSV file as plain bytes. */
export interface CsvFile {
  readonly path: string;
  readonly separator: Separator;
  /** Its first row. */
  readonly header: CsvRecord;
}

/** @throws ImportFormatError for a file without a header */
export async function openCsv(path: string): Promise<CsvFile> {
  const separator = separatorOf((await startOf(path)).toString('latin1').replace('\u00ef\u00bb\u00bf', ''));
  for await (const header of csvRecords(path, separator)) {
    if (header.problem !== null) throw new ImportFormatError(`a file without a header: ${header.problem}`);
    if (header.fields.length > MAX_COLUMNS) throw new ImportFormatError(`a file of more than ${MAX_COLUMNS} columns`);
    return { path, separator, header };
  }
  throw new ImportFormatError('empty');
}

async function startOf(path: string): Promise<Buffer> {
  const file = await open(path, 'r');
  try {
    const start = Buffer.alloc(START);
    const { bytesRead } = await file.read(start, 0, START, 0);
    return start.subarray(0, bytesRead);
  } finally {
    await file.close();
  }
}

import { readRecords } from '../csv/csv-records';
import { ImportFormatError, zipFileBytes } from '../plain-file';
import { zipEntries } from '../zip-member';
import { MAX_OBJECT_BYTES } from './json-objects';
import { SPOO_DAYS, SPOO_COUNT_DIMENSIONS } from './spoo-counts';
import { SPOO_STATISTICS_DIMENSIONS as METRICS } from './spoo-statistics';
import { type SpooDocument, STATISTICS } from './spoo-link';

/** Table with the link's destination (docs/contract.md#13.4). */
const GENERAL_INFO = 'general_info.csv';
/** Its counterpart in the newer format: rows of field and value. */
const SUMMARY_FILE = 'summary.csv';
const MAX_INFO_BYTES = 1024 * 1024;
const MAX_TABLE_BYTES = 4 * 1024 * 1024;
const MAX_TABLE_ROWS = 10_000;
const MAX_TABLE_COLUMNS = 50;
const INFO_KEYS: Readonly<Record<string, string>> = {
  'TOTAL CLICKS': 'total-clicks',
  URL: 'url',
  'SHORT CODE': 'short_code',
  'MAX CLICKS': 'max-clicks',
  'EXPIRATION TIME': 'expiration-time',
  PASSWORD: 'password',
  'CREATION DATE': 'creation-date',
  'CREATION TIME': 'creation-time',
  'BLOCK BOTS': 'block-bots',
};
/** Quote that exports add to stop spreadsheets from evaluating formulas. */
const NEUTRALISED = /^'(?=[=+\-@\uff1d\uff0b\uff0d\uff20])/;

/** A spoo.me zip: a link as CSV, a single compressed file, or JSON files in order. */
type SpooArchive =
  | { readonly kind: 'packed' }
  | { readonly kind: 'tables'; readonly document: SpooDocument }
  | { readonly kind: 'objects'; readonly names: readonly string[] };

export async function openArchive(path: string): Promise<SpooArchive> {
  const entries = await zipEntries(path);
  if (typeof entries === 'string') throw new ImportFormatError(entries);
  const names = entries.map(({ name }) => name);
  const repeated = names.find((name, place) => names.indexOf(name) !== place);
  if (repeated !== undefined) throw new ImportFormatError('a ZIP file with two files of one name');
  if (names.some((name) => /\.(?:zip|gz|tar|tgz)$/i.test(name))) {
    throw new ImportFormatError('an archive within an archive');
  }
  const info = names.find((name) => fileName(name) === GENERAL_INFO);
  if (info !== undefined) {
    const document = {
      ...(await readGeneralInfo(path, info)),
      ...(await countTables(path, names)),
    };
    return { kind: 'tables', document };
  }
  const summary = names.find((name) => fileName(name) === SUMMARY_FILE);
  if (summary !== undefined) {
    return { kind: 'tables', document: await statistics(path, names, summary) };
  }
  const objects = names.filter((name) => /\.json$/i.test(name));
  if (objects.length > 0 && names.length === 1) return { kind: 'packed' };
  if (objects.length > 0) return { kind: 'objects', names: objects };
  const found = `a ZIP file of ${entries.length} files`;
  throw new ImportFormatError(`${found}, none of which is ${GENERAL_INFO} or JSON`);
}

/** Null for a JSON file that is too long. */
export const objectBytes = (path: string, name: string): Promise<Buffer | null> =>
  zipFileBytes(path, name, MAX_OBJECT_BYTES);

async function readGeneralInfo(path: string, name: string): Promise<SpooDocument> {
  const bytes = await zipFileBytes(path, name, MAX_INFO_BYTES);
  if (bytes === null) throw new ImportFormatError(`a ZIP file whose ${GENERAL_INFO} is too long`);
  const read = (into: Buffer, at: number) =>
    Promise.resolve({ bytesRead: bytes.copy(into, 0, at) });
  const document: Record<string, string> = {};
  for await (const { fields } of readRecords(read, ',')) {
    const key = INFO_KEYS[(fields[0] ?? '').trim().toUpperCase()];
    if (key !== undefined) document[key] ??= (fields[1] ?? '').replace(NEUTRALISED, '');
  }
  if (document.url === undefined) {
    throw new ImportFormatError(`a ZIP file whose ${GENERAL_INFO} has no row URL`);
  }
  return document;
}

/** Converts click tables to the JSON format's dictionaries; skips tables that are too long. */
async function countTables(path: string, names: readonly string[]): Promise<SpooDocument> {
  const document: Record<string, Record<string, string>> = {};
  for (const table of [SPOO_DAYS, ...Object.keys(SPOO_COUNT_DIMENSIONS)]) {
    const name = names.find((candidate) => fileName(candidate) === `${table}.csv`);
    const bytes = name === undefined ? null : await zipFileBytes(path, name, MAX_TABLE_BYTES);
    if (bytes === null) continue;
    const read = (into: Buffer, at: number) =>
      Promise.resolve({ bytesRead: bytes.copy(into, 0, at) });
    const clicks = new Map<string, string>();
    for await (const { fields } of readRecords(read, ',')) {
      const [label = '', count = ''] = fields;
      if (/^\d+$/.test(count)) clicks.set(label.replace(NEUTRALISED, ''), count);
    }
    document[table] = Object.fromEntries(clicks);
  }
  return document;
}

async function statistics(
  path: string,
  names: readonly string[],
  summary: string,
): Promise<SpooDocument> {
  const fieldKey = (text: string) => text.trim().toLowerCase().replaceAll(/[ -]+/g, '_');
  const fields: Record<string, string | number> = {};
  for (const [field = '', value = ''] of await readTable(path, summary, MAX_INFO_BYTES)) {
    const key = fieldKey(field);
    fields[key] ??= key === 'total_clicks' && /^\d+$/.test(value) ? Number(value) : value;
  }
  if ((fields.long_url ?? fields.url ?? fields.original_url ?? '') === '') {
    throw new ImportFormatError(`a ZIP file with ${SUMMARY_FILE}. ${STATISTICS}`);
  }
  const metrics: Record<string, object[]> = {};
  for (const metric of ['time', ...METRICS].map((name) => `clicks_by_${name}`)) {
    const short = metric.replace('clicks_by_', '');
    const name = names.find((candidate) =>
      [`${metric}.csv`, `${short}.csv`].includes(fileName(candidate)),
    );
    if (name === undefined) continue;
    const [header = [], ...rows] = await readTable(path, name, MAX_TABLE_BYTES);
    const keys = header.map(fieldKey);
    metrics[metric] = rows.map((row) =>
      Object.fromEntries(keys.map((key, i) => [key, row[i] ?? ''])),
    );
  }
  return { ...fields, summary: fields, metrics };
}

/** Empty for a table that is too long. */
async function readTable(path: string, name: string, max: number): Promise<string[][]> {
  const bytes = await zipFileBytes(path, name, max);
  if (bytes === null) return [];
  const read = (into: Buffer, at: number) =>
    Promise.resolve({ bytesRead: bytes.copy(into, 0, at) });
  const rows: string[][] = [];
  for await (const { fields } of readRecords(read, ',')) {
    const taken = fields.slice(0, MAX_TABLE_COLUMNS);
    rows.push(taken.map((text) => text.replace(NEUTRALISED, '')));
    if (rows.length > MAX_TABLE_ROWS) break;
  }
  return rows;
}

function fileName(name: string): string {
  return (name.split('/').at(-1) ?? '').toLowerCase();
}

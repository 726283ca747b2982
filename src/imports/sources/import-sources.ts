import type { SourceApi } from '../reading/source-api';
import { bitlyApiReader } from './bitly/bitly-api.reader';
import { csvReader } from './csv/csv.reader';
import { curtailReader } from './curtail/curtail.reader';
import type { ImportSource } from '../store/import';
import { kuttApiReader } from './kutt/kutt-api.reader';
import { shlinkApiReader } from './shlink/shlink-api.reader';
import { dumpReader } from './sql/dump.reader';
import { KUTT, YOURLS } from './sql/dump-sources';
import { spooApiReader } from './spoo/spoo-api.reader';
import type { ImportReader } from '../reading/import-reader';

const FILE_READERS = {
  csv: csvReader,
  bitly_csv: csvReader,
  dub_csv: csvReader,
  yourls_csv: csvReader,
  shlink_csv: csvReader,
  yourls_sql: dumpReader(YOURLS),
  kutt_sql: dumpReader(KUTT),
  curtail: curtailReader,
} as const satisfies Partial<Record<ImportSource, ImportReader>>;

export type ApiReader = (api: SourceApi) => ImportReader;

type FileSource = keyof typeof FILE_READERS;
type ApiSource = Exclude<ImportSource, FileSource>;

export interface ApiService {
  readonly reader: ApiReader;
  /** Null if the service is self-hosted. */
  readonly baseUrl: string | null;
  readonly headers: (credential: string) => Readonly<Record<string, string>>;
}

const bearer = (key: string) => ({ Authorization: `Bearer ${key}` });

const API_SERVICES: Readonly<Record<ApiSource, ApiService>> = {
  kutt_api: { reader: kuttApiReader, baseUrl: null, headers: (key) => ({ 'X-API-Key': key }) },
  shlink_api: { reader: shlinkApiReader, baseUrl: null, headers: (key) => ({ 'X-Api-Key': key }) },
  bitly_api: { reader: bitlyApiReader, baseUrl: 'https://api-ssl.bitly.com', headers: bearer },
  spoo_api: { reader: spooApiReader, baseUrl: 'https://spoo.me', headers: bearer },
};

export const FILE_SOURCES = Object.keys(FILE_READERS) as readonly FileSource[];
export const API_SOURCES = Object.keys(API_SERVICES) as readonly ApiSource[];

export function findFileReader(source: ImportSource): ImportReader {
  const readers: Readonly<Partial<Record<ImportSource, ImportReader>>> = FILE_READERS;
  const reader = readers[source];
  if (reader === undefined) throw new Error(`${source} is not a file source`);
  return reader;
}

export function hasColumns(source: ImportSource): boolean {
  return (FILE_READERS as Partial<Record<ImportSource, ImportReader>>)[source] === csvReader;
}

/** Null if the source is a file. */
export function findApiService(source: ImportSource): ApiService | null {
  const services: Readonly<Partial<Record<ImportSource, ApiService>>> = API_SERVICES;
  return services[source] ?? null;
}

/** A source: its API name, its label and the required inputs. */
export interface SourceRow {
  readonly source: string;
  readonly name: string;
  /** The name within a sentence, if it differs. */
  readonly inSentence?: string;
  readonly hint: string;
  /** Fixed API address; empty for self-hosted services. */
  readonly address?: string;
}

const csvOf = (name: string): string =>
  `The CSV file exported from ${name}. The file can be a .zip or .gz.`;

/** Sources in display order (docs/contract.md#22.1). */
export const SOURCES: readonly SourceRow[] = [
  { source: 'bitly_csv', name: 'Bitly', hint: csvOf('Bitly') },
  {
    source: 'bitly_api',
    name: 'Bitly (API)',
    hint: 'Reads all links and their clicks by day. Create an access token in Bitly’s settings and use it as the key.',
    address: 'https://api-ssl.bitly.com',
  },
  { source: 'dub_csv', name: 'Dub', hint: csvOf('Dub') },
  { source: 'shlink_csv', name: 'Shlink (CSV)', hint: csvOf('Shlink') },
  {
    source: 'shlink_api',
    name: 'Shlink (API)',
    hint: 'Reads all links and visits. Create a key with Shlink’s command api-key:generate.',
    address: '',
  },
  {
    source: 'kutt_api',
    name: 'Kutt (API)',
    hint: 'Reads all links and their click totals. The key is in Kutt’s settings.',
    address: '',
  },
  {
    source: 'kutt_sql',
    name: 'Kutt (database dump)',
    hint: 'A dump from pg_dump, mysqldump or sqlite3 .dump. The file can be a .zip or .gz. Includes link passwords.',
  },
  {
    source: 'yourls_sql',
    name: 'YOURLS (database dump)',
    hint: 'A dump from mysqldump or phpMyAdmin. The file can be a .zip or .gz.',
  },
  { source: 'yourls_csv', name: 'YOURLS (CSV)', hint: csvOf('YOURLS') },
  {
    source: 'spoo_api',
    name: 'spoo.me (API)',
    hint: 'Reads all links and their statistics. The key needs permission to read both.',
    address: 'https://spoo.me',
  },
  {
    source: 'curtail',
    name: 'Curtail (account export)',
    hint: 'The ZIP file as downloaded. Includes clicks, but no passwords.',
  },
  {
    source: 'csv',
    name: 'Any CSV file',
    inSentence: 'a CSV file',
    hint: 'The first row names the columns. The file can be a .zip or .gz.',
  },
];

const rowOf = (source: string): SourceRow | undefined =>
  SOURCES.find((row) => row.source === source);

export const nameOf = (source: string): string => rowOf(source)?.name ?? source;

export const nameInSentence = (source: string): string =>
  rowOf(source)?.inSentence ?? nameOf(source);

export type SourceKind = 'file' | 'address';

export const kindOf = ({ address }: SourceRow): SourceKind =>
  address === undefined ? 'file' : 'address';

/** The first source of this kind. */
export const firstOf = (kind: SourceKind): string =>
  SOURCES.find((row) => kindOf(row) === kind)?.source ?? '';

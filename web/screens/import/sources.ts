/** A source: its API name, its label and the required inputs. */
interface SourceRow {
  readonly source: string;
  readonly name: string;
  readonly hint: string;
  /** Fixed API address; empty for self-hosted services. */
  readonly address?: string;
}

const csvOf = (name: string): string =>
  `The CSV file that ${name} exports, also packed as .zip or .gz.`;

/** In display order (docs/contract.md#22.1). */
export const SOURCES: readonly SourceRow[] = [
  { source: 'bitly_csv', name: 'Bitly', hint: csvOf('Bitly') },
  {
    source: 'bitly_api',
    name: 'Bitly (API)',
    hint: 'Bitly is asked for all links, and for their clicks by day. The key is an access token of its settings.',
    address: 'https://api-ssl.bitly.com',
  },
  { source: 'dub_csv', name: 'Dub', hint: csvOf('Dub') },
  { source: 'shlink_csv', name: 'Shlink (CSV)', hint: csvOf('Shlink') },
  {
    source: 'shlink_api',
    name: 'Shlink (API)',
    hint: 'Shlink is asked for all links and visits. Its command api-key:generate makes a key.',
    address: '',
  },
  {
    source: 'kutt_api',
    name: 'Kutt (API)',
    hint: 'Kutt is asked for all links and their numbers of clicks. The key is in its settings.',
    address: '',
  },
  {
    source: 'kutt_sql',
    name: 'Kutt (database dump)',
    hint: 'A dump by pg_dump or mysqldump, or of sqlite3 .dump, also packed as .zip or .gz. Passwords of links come along.',
  },
  {
    source: 'yourls_sql',
    name: 'YOURLS (database dump)',
    hint: 'A dump by mysqldump or phpMyAdmin, also packed as .zip or .gz.',
  },
  { source: 'yourls_csv', name: 'YOURLS (CSV)', hint: csvOf('YOURLS') },
  {
    source: 'spoo_api',
    name: 'spoo.me (API)',
    hint: 'spoo.me is asked for all links and their statistics. The key needs the rights to read both.',
    address: 'https://spoo.me',
  },
  {
    source: 'curtail',
    name: 'Curtail (copy of an account)',
    hint: 'The ZIP file as it was downloaded. Clicks come along, passwords do not.',
  },
  {
    source: 'csv',
    name: 'Any CSV file',
    hint: 'Its first row names the columns. It may be packed as .zip or .gz.',
  },
];

export const nameOf = (source: string): string =>
  SOURCES.find((row) => row.source === source)?.name ?? source;

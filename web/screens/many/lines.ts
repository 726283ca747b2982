import { DEFAULT_HOST } from '../../../src/links/link-index/link-list';
import { typedAddress } from '../../../src/common/typed-address';
import { distinctTagNames } from '../../../src/stores/tags/tag';
import { csvFile, type CsvRecord, readCsv } from '../../data/csv';
import { EMPTY_LINK, type LinkDraft, problemsOfLink } from '../../parts/link-problems';
import { texts } from '../../texts';

export const MAX_LINES = 5000;

export interface LinkInput {
  readonly long_url: string;
  /** Absent to use the default for all lines; null for the service's own host. */
  readonly domain?: string | null;
  readonly alias?: string;
  readonly title?: string;
  readonly note?: string;
  readonly tags?: string[];
  readonly password?: string;
  readonly max_clicks?: number;
  readonly expire_after?: number;
  readonly block_bots?: boolean;
  readonly private_stats?: boolean;
}

/** A pasted line or file record with its problems. */
export interface Line {
  readonly number: number;
  readonly input: LinkInput;
  readonly problems: readonly string[];
  /** Unchanged input. */
  readonly cells: readonly string[];
}

export interface Lines {
  readonly lines: readonly Line[];
  readonly header: readonly string[] | null;
  /** Unknown column names. */
  readonly unused: readonly string[];
}

const COLUMNS = {
  long_url: 'long_url',
  url: 'long_url',
  destination: 'long_url',
  domain: 'domain',
  alias: 'alias',
  title: 'title',
  name: 'title',
  note: 'note',
  notes: 'note',
  tags: 'tags',
  tag: 'tags',
  labels: 'tags',
  password: 'password',
  max_clicks: 'max_clicks',
  click_limit: 'max_clicks',
  expire_after: 'expire_after',
  expires: 'expire_after',
  block_bots: 'block_bots',
  private_stats: 'private_stats',
  private_statistics: 'private_stats',
} as const;
type Column = (typeof COLUMNS)[keyof typeof COLUMNS];
type Cells = Readonly<Partial<Record<Column, string>>>;

export interface Rejected {
  readonly line: Line;
  readonly problems: readonly string[];
}

/** Returns lines for the text field, as an unchanged part of the input. */
export function correctionText(header: Lines['header'], rejected: readonly Rejected[]): string {
  const rows = rejected.map(({ line }) => (header === null ? line.cells.slice(0, 1) : line.cells));
  return [...(header === null ? [] : [header]), ...rows]
    .map((cells) => cells.map(cells.length > 1 ? quoteCell : (cell) => cell).join('\t'))
    .join('\n');
}

const quoteCell = (cell: string): string =>
  /["\t\r\n]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell;

/** Returns a CSV file of lines with all their problems. */
export function problemFile(header: Lines['header'], rejected: readonly Rejected[]) {
  const columns = header ?? ['long_url'];
  const rows = rejected.map(({ line, problems }) => [
    ...columns.map((_, i) => line.cells[i] ?? ''),
    problems.join(' '),
  ]);
  return csvFile('curtail-rejected-lines.csv', [...columns, 'problem'], rows);
}

const EXAMPLES = [
  'example.com/spring|spring|Spring sale|For the newsletter|spring, email|2099-12-31 23:59|500||no|yes',
  'example.com/menu||Menu||print||||yes|yes',
].map((row) => row.split('|'));

/** Returns a file with the plain column names, which can be filled in and read again. */
export function exampleFile() {
  const header = texts.many.fields.map(([name]) => name).filter((name) => name !== 'Domain');
  return csvFile('curtail-example.csv', header, EXAMPLES);
}

function columnOf(cell: string): Column | undefined {
  const name = cell
    .trim()
    .toLowerCase()
    .replace(/[\s-]+/g, '_');
  return Object.hasOwn(COLUMNS, name) ? COLUMNS[name as keyof typeof COLUMNS] : undefined;
}

const isHeader = (cells: readonly string[]): boolean =>
  cells.some((cell) => columnOf(cell) === 'long_url');

/** Reads one address per line, tab-separated table cells, or a CSV text with a header. */
export function linesOfText(text: string, site: string, now: number): Lines {
  const names = text
    .trimStart()
    .split(/[\r\n]/, 1)
    .join()
    .split(/[,;]/);
  const isCsv = names.length > 1 && isHeader(names);
  if (isCsv || text.includes('\t')) return linesOfFile(text, site, now);
  const records = text
    .split(/\r\n|\r|\n/)
    .map((cell, i) => ({ line: i + 1, cells: [cell], isOpen: false }))
    .filter(({ cells: [cell = ''] }) => cell.trim() !== '');
  return linesOfRecords(records, site, now);
}

export function linesOfFile(text: string, site: string, now: number): Lines {
  return linesOfRecords(readCsv(text, isHeader), site, now);
}

function linesOfRecords(records: readonly CsvRecord[], site: string, now: number): Lines {
  const [first] = records;
  const header = first !== undefined && isHeader(first.cells) ? first.cells : null;
  const columns = header?.map(columnOf) ?? (['long_url'] as const);
  const rest = header === null ? records : records.slice(1);
  const lines = rest.map((record) => lineOf(record, columns, site, now));
  const spare = Math.max(0, ...rest.map(({ cells }) => cells.length - columns.length));
  return {
    header,
    lines: withRepeated(lines),
    unused: [
      ...(header ?? []).filter((name) => name.trim() !== '' && columnOf(name) === undefined),
      ...Array.from({ length: spare }, (_, i) => texts.many.column(columns.length + i + 1)),
    ],
  };
}

function lineOf(
  { line, cells, isOpen }: CsvRecord,
  columns: readonly (Column | undefined)[],
  site: string,
  now: number,
): Line {
  const found = Object.fromEntries(
    columns.map((column, i) => [column, cells[i]?.trim() ?? '']).filter(([, cell]) => cell !== ''),
  ) as Cells;
  const expire = timeOf(found.expire_after);
  const draft: LinkDraft = {
    ...EMPTY_LINK,
    long_url: found.long_url ?? '',
    alias: found.alias ?? '',
    title: found.title ?? '',
    note: found.note ?? '',
    tags: tagsOf(found.tags),
    password: found.password ?? '',
    max_clicks: found.max_clicks ?? '',
    expire: expire === undefined ? '' : new Date(expire).toISOString(),
  };
  const [bots, isPrivate] = [flagOf(found.block_bots), flagOf(found.private_stats)];
  const t = texts.many.problems;
  return {
    number: line,
    cells,
    input: {
      long_url: typedAddress(draft.long_url),
      ...(found.domain === undefined ? {} : { domain: domainOf(found.domain, site) }),
      ...given('alias', draft.alias),
      ...given('title', draft.title),
      ...given('note', draft.note),
      ...(draft.tags.length === 0 ? {} : { tags: [...draft.tags] }),
      ...given('password', draft.password),
      ...(draft.max_clicks === '' ? {} : { max_clicks: Number(draft.max_clicks) }),
      ...(expire === undefined ? {} : { expire_after: Math.floor(expire / 1000) }),
      ...(typeof bots === 'boolean' ? { block_bots: bots } : {}),
      ...(typeof isPrivate === 'boolean' ? { private_stats: isPrivate } : {}),
    },
    problems: [
      ...(isOpen ? [t.open] : []),
      ...Object.values(problemsOfLink(draft, EMPTY_LINK, site, now)),
      ...(found.expire_after !== undefined && expire === undefined ? [t.time] : []),
      ...(bots === 'neither' || isPrivate === 'neither' ? [t.flag] : []),
    ],
  };
}

/** Returns null for the service's own host. */
function domainOf(cell: string, site: string): string | null {
  const { host, hostname } = new URL(site);
  return [DEFAULT_HOST, host, hostname].includes(cell.toLowerCase()) ? null : cell;
}

function given<Name extends string>(name: Name, text: string): Partial<Record<Name, string>> {
  return text === '' ? {} : ({ [name]: text } as Record<Name, string>);
}

/** Returns distinct tags, separated by `,` or `|`. */
function tagsOf(cell = ''): readonly string[] {
  return distinctTagNames(cell.split(/[,|]/)).filter((name) => name !== '');
}

/** Returns milliseconds since 1970 for a Unix time or other time; undefined if invalid. */
function timeOf(cell = ''): number | undefined {
  const at = /^\d{1,12}$/.test(cell) ? Number(cell) * 1000 : Date.parse(cell);
  return Number.isNaN(new Date(at).getTime()) ? undefined : at;
}

function flagOf(cell = ''): boolean | 'neither' | undefined {
  if (cell === '') return undefined;
  if (/^(?:true|yes|y|1)$/i.test(cell)) return true;
  return /^(?:false|no|n|0)$/i.test(cell) ? false : 'neither';
}

/** Marks repeated aliases as unavailable. */
function withRepeated(lines: readonly Line[]): readonly Line[] {
  const first = new Map<string, number>();
  return lines.map((line) => {
    const { alias, domain } = line.input;
    if (alias === undefined) return line;
    const address = `${String(domain)}/${alias}`;
    const earlier = first.get(address);
    if (earlier === undefined) {
      first.set(address, line.number);
      return line;
    }
    return { ...line, problems: [...line.problems, texts.many.problems.repeated(earlier)] };
  });
}

import { BadRequestError, UnprocessableError } from '../../common/errors';
import { refuseMisnamed } from '../../common/http/field-names';
import { parseTime } from '../../common/time';
import { MAX_WORDS, type SearchWord, searchWords } from './search-words';
import {
  CLOSED_BY_LIMIT,
  INACTIVE,
  type LinkBlock,
  LIVE,
  MAX_CLICKS_SET,
  PASSWORD_SET,
} from './link-columns';

/**
 * Statuses that a list can be narrowed to: those of links, and why they are INACTIVE. EXPIRED ones
 * ran out of time or clicks; BLOCKED ones are accepted for clients that ask for them, and are none.
 */
const STATUSES = ['ACTIVE', 'INACTIVE', 'EXPIRED', 'BLOCKED'] as const;
type FilterStatus = (typeof STATUSES)[number];

/** What a list is narrowed to; an absent key narrows nothing. Times in milliseconds, inclusive. */
export interface LinkFilter {
  readonly status?: FilterStatus;
  readonly createdAfter?: number;
  readonly createdBefore?: number;
  readonly passwordSet?: boolean;
  readonly maxClicksSet?: boolean;
  /** All of them have to be found. */
  readonly search?: readonly SearchWord[];
}

type RowTest = (block: LinkBlock, row: number) => boolean;

/** A text to look for, as UTF-8. */
interface Needle {
  readonly bytes: Buffer;
  /** It begins with the line feed that ends the row before. */
  readonly isWholeLine: boolean;
}

/** What a filter asks of every link: values, and words in its text. */
export interface LinkTests {
  readonly rows: readonly RowTest[];
  /** Of each word one needle has to be found. */
  readonly words: readonly (readonly Needle[])[];
  /** Nothing can pass. */
  readonly nothing: boolean;
}

/** The tests of a filter; null when it narrows nothing. */
export function testsOf(filter: LinkFilter, now: number): LinkTests | null {
  const { status, createdAfter, createdBefore, passwordSet, maxClicksSet } = filter;
  const rows: RowTest[] = [];
  if (status !== undefined) rows.push(hasStatus(status, now));
  if (passwordSet !== undefined) rows.push(hasFlag(PASSWORD_SET, passwordSet));
  if (maxClicksSet !== undefined) rows.push(hasFlag(MAX_CLICKS_SET, maxClicksSet));
  if (createdAfter !== undefined) {
    rows.push(({ createdAt }, row) => (createdAt[row] ?? NaN) >= createdAfter);
  }
  if (createdBefore !== undefined) {
    rows.push(({ createdAt }, row) => (createdAt[row] ?? NaN) <= createdBefore);
  }
  const search = filter.search ?? [];
  if (rows.length === 0 && search.length === 0) return null;
  return {
    rows,
    words: search.map(needlesOf),
    // Half a character is in no text: what is stored are whole ones.
    nothing: status === 'BLOCKED' || search.some(({ part }) => /\p{Surrogate}/u.test(part)),
  };
}

/** Destinations have a colon, aliases none: no destination is taken for an alias. */
function needlesOf({ part, alias }: SearchWord): Needle[] {
  const anywhere = { bytes: Buffer.from(part), isWholeLine: false };
  if (alias === null) return [anywhere];
  return [anywhere, { bytes: Buffer.from(`\n${alias}\n`), isWholeLine: true }];
}

function hasStatus(status: FilterStatus, now: number): RowTest {
  if (status === 'BLOCKED') return () => false;
  const has = ({ flags }: LinkBlock, row: number, wanted: number): boolean =>
    ((flags[row] ?? 0) & wanted) === wanted;
  const isOver = ({ expireAfter }: LinkBlock, row: number): boolean =>
    (expireAfter[row] ?? NaN) <= now;
  switch (status) {
    case 'EXPIRED':
      return (block, row) => isOver(block, row) || has(block, row, CLOSED_BY_LIMIT | INACTIVE);
    case 'INACTIVE':
      return (block, row) => isOver(block, row) || has(block, row, INACTIVE);
    case 'ACTIVE':
      return (block, row) => !isOver(block, row) && !has(block, row, INACTIVE);
  }
}

function hasFlag(flag: number, wanted: boolean): RowTest {
  return ({ flags }, row) => (((flags[row] ?? 0) & flag) !== 0) === wanted;
}

/** Sets `passed` to 1 for each row of a part of the block that passes; answers how many do. */
export function markPassing(
  { rows, words }: LinkTests,
  block: LinkBlock,
  { from, end }: { from: number; end: number },
  passed: Uint8Array,
): number {
  let count = 0;
  const judge = (row: number): void => {
    if (((block.flags[row] ?? 0) & LIVE) === 0) return;
    for (const passes of rows) if (!passes(block, row)) return;
    passed[row] = 1;
    count++;
  };
  if (words.length === 0) for (let row = from; row < end; row++) judge(row);
  else forEachHolding(words, block, { from, end }, judge);
  return count;
}

/** The rows whose text holds all words: each search moves on to where the others have got. */
function forEachHolding(
  words: LinkTests['words'],
  block: LinkBlock,
  { from, end }: { from: number; end: number },
  found: (row: number) => void,
): void {
  const searches = words.map((needles) => needles.map((each) => new RowSearch(each, block, end)));
  let row = from;
  while (row < end) {
    const begun = row;
    for (const needles of searches) {
      const from = row;
      row = needles.reduce((nearest, needle) => Math.min(nearest, needle.next(from)), end);
      if (row >= end) return;
    }
    if (row === begun) found(row++);
  }
}

/**
 * The rows that hold a text, one after the other, by one search through the texts of all: native
 * code, which goes over a gigabyte a second.
 */
class RowSearch {
  private readonly text: Buffer;
  private row = -1;

  constructor(
    private readonly needle: Needle,
    private readonly block: LinkBlock,
    private readonly end: number,
  ) {
    this.text = block.text.subarray(0, block.textFrom[end]);
  }

  /** The first such row that is not before this one; the end where there is none. */
  next(from: number): number {
    if (this.row < from) this.row = this.find(from);
    return this.row;
  }

  private find(from: number): number {
    const { bytes, isWholeLine } = this.needle;
    const { textFrom } = this.block;
    const start = textFrom[from] ?? 0;
    if (!isWholeLine) return this.rowAt(this.text.indexOf(bytes, start), from);
    // No line feed comes before the first row.
    if (from === 0 && this.text.subarray(0, bytes.length - 1).equals(bytes.subarray(1))) return 0;
    const at = this.text.indexOf(bytes, Math.max(start - 1, 0));
    return this.rowAt(at === -1 ? -1 : at + 1, from);
  }

  private rowAt(at: number, from: number): number {
    return at === -1 ? this.end : rowAt(this.block.textFrom, at, from, this.end);
  }
}

/** The row whose text this place is in: by growing steps from the last one, then by halves. */
function rowAt(textFrom: Uint32Array, at: number, from: number, rows: number): number {
  let low = from;
  let step = 1;
  while (low + step < rows && (textFrom[low + step] ?? 0) <= at) {
    low += step;
    step *= 2;
  }
  let high = Math.min(low + step, rows);
  while (high - low > 1) {
    const middle = (low + high) >>> 1;
    if ((textFrom[middle] ?? 0) <= at) low = middle;
    else high = middle;
  }
  return low;
}

const FIELD = 'filter';
const LONGEST_SEARCH = 500;
const SECOND = 1000;

const KEYS = ['status', 'createdAfter', 'createdBefore', 'passwordSet', 'maxClicksSet', 'search'];

type Given = Record<string, unknown>;

/**
 * Reads the JSON object of `filter` (docs/contract.md#6.1): shapes 422, unreadable times 400.
 *
 * @param baseUrl where short URLs begin, which are searched for by their aliases
 */
export function readFilter(text: string | undefined, baseUrl: string): LinkFilter {
  if (text === undefined) return {};
  const given = parseObject(text);
  refuseMisnamed(given, KEYS);
  const shaped = {
    status: read(given, 'status', isStatus, `one of ${STATUSES.join(', ')}`),
    passwordSet: read(given, 'passwordSet', isBoolean, 'a boolean'),
    maxClicksSet: read(given, 'maxClicksSet', isBoolean, 'a boolean'),
  };
  const search = read(given, 'search', isSearch, `a text of at most ${LONGEST_SEARCH} characters`);
  const createdAfter = read(given, 'createdAfter', isTimeInput, 'Unix seconds or a time text');
  const createdBefore = read(given, 'createdBefore', isTimeInput, 'Unix seconds or a time text');
  return {
    ...shaped,
    createdAfter: createdAfter === undefined ? undefined : timeOf('createdAfter', createdAfter),
    createdBefore: createdBefore === undefined ? undefined : endOf(createdBefore),
    search: search === undefined ? undefined : wordsOf(search, baseUrl),
  };
}

function wordsOf(search: string, baseUrl: string): readonly SearchWord[] {
  const words = searchWords(search, baseUrl);
  if (words.length <= MAX_WORDS) return words;
  throw UnprocessableError.of(FIELD, `search must have at most ${MAX_WORDS} words`);
}

function parseObject(text: string): Given {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw UnprocessableError.of(FIELD, 'must be a JSON object');
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw UnprocessableError.of(FIELD, 'must be a JSON object');
  }
  return value as Given;
}

function read<T>(
  given: Given,
  key: string,
  isValid: (value: unknown) => value is T,
  wanted: string,
): T | undefined {
  const value = Object.hasOwn(given, key) ? given[key] : undefined;
  if (value === undefined || value === null) return undefined;
  if (!isValid(value)) throw UnprocessableError.of(FIELD, `${key} must be ${wanted}`);
  return value;
}

function timeOf(key: string, input: number | string): number {
  const ms = parseTime(input);
  if (ms === null) throw new BadRequestError(`${key} is not a readable time`, FIELD);
  return ms;
}

/** Unix seconds, as created_at is answered in them, mean the whole second. */
function endOf(input: number | string): number {
  const ms = timeOf('createdBefore', input);
  const inSeconds = typeof input === 'number' || /^\s*\d+\s*$/.test(input);
  return inSeconds ? ms + SECOND - 1 : ms;
}

const isStatus = (value: unknown): value is FilterStatus =>
  STATUSES.includes(value as FilterStatus);
const isBoolean = (value: unknown): value is boolean => typeof value === 'boolean';
const isSearch = (value: unknown): value is string =>
  typeof value === 'string' && value.length <= LONGEST_SEARCH;
const isTimeInput = (value: unknown): value is number | string =>
  typeof value === 'string' || Number.isSafeInteger(value);

import { BadRequestError, UnprocessableError } from '../../common/errors';
import { refuseMisnamed } from '../../common/http/field-names';
import { parseTime } from '../../common/time';
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
  readonly search?: string;
}

type RowTest = (block: LinkBlock, row: number) => boolean;

/** What a filter asks of every link: values, and a part of its text. */
export interface LinkTests {
  readonly rows: readonly RowTest[];
  /** As UTF-8; null where no text is searched for. */
  readonly part: Buffer | null;
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
  const search = filter.search ?? '';
  if (rows.length === 0 && search === '') return null;
  return {
    rows,
    part: search === '' ? null : Buffer.from(search.toLowerCase()),
    nothing: status === 'BLOCKED' || isInNoText(search),
  };
}

/**
 * A part of the alias or of the address, not of both: the line feed between them is no part. Nor is
 * half a character: what is stored are whole ones.
 */
function isInNoText(search: string): boolean {
  return search.includes('\n') || /\p{Surrogate}/u.test(search);
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

/** Sets `passed` to 1 for each row of the block that passes; answers how many do. */
export function markPassing(
  { rows, part }: LinkTests,
  block: LinkBlock,
  passed: Uint8Array,
): number {
  let count = 0;
  const judge = (row: number): void => {
    if (((block.flags[row] ?? 0) & LIVE) === 0) return;
    for (const passes of rows) if (!passes(block, row)) return;
    passed[row] = 1;
    count++;
  };
  if (part === null) for (let row = 0; row < block.rows; row++) judge(row);
  else forEachHolding(part, block, judge);
  return count;
}

/**
 * The rows whose text holds the part, by one search through the texts of all: native code, which
 * goes over a gigabyte a second.
 */
function forEachHolding(part: Buffer, block: LinkBlock, found: (row: number) => void): void {
  const { textFrom, textEnd, rows } = block;
  const text = block.text.subarray(0, textEnd);
  let row = 0;
  for (let at = text.indexOf(part); at !== -1; at = text.indexOf(part, textFrom[row])) {
    row = rowAt(textFrom, at, row, rows);
    found(row++);
    if (row >= rows) return;
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

/** Reads the JSON object of `filter` (docs/contract.md#6.1): shapes 422, unreadable times 400. */
export function readFilter(text: string | undefined): LinkFilter {
  if (text === undefined) return {};
  const given = parseObject(text);
  refuseMisnamed(given, KEYS);
  const shaped = {
    status: read(given, 'status', isStatus, `one of ${STATUSES.join(', ')}`),
    passwordSet: read(given, 'passwordSet', isBoolean, 'a boolean'),
    maxClicksSet: read(given, 'maxClicksSet', isBoolean, 'a boolean'),
    search: read(given, 'search', isSearch, `a text of at most ${LONGEST_SEARCH} characters`),
  };
  const createdAfter = read(given, 'createdAfter', isTimeInput, 'Unix seconds or a time text');
  const createdBefore = read(given, 'createdBefore', isTimeInput, 'Unix seconds or a time text');
  return {
    ...shaped,
    createdAfter: createdAfter === undefined ? undefined : timeOf('createdAfter', createdAfter),
    createdBefore: createdBefore === undefined ? undefined : endOf(createdBefore),
  };
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

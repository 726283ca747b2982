import { BadRequestError, UnprocessableError } from '../../common/errors';
import { refuseMisnamed } from '../../common/http/field-names';
import { parseTime } from '../../common/time';
import type { ListedLink } from './listed-link';

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

export type LinkTest = (link: ListedLink) => boolean;

/** The tests that a link has to pass, cheap ones first; none for an empty filter. */
export function testsOf(filter: LinkFilter, now: number): LinkTest[] {
  const { status, createdAfter, createdBefore, passwordSet, maxClicksSet, search } = filter;
  const tests: LinkTest[] = [];
  if (status !== undefined) tests.push(hasStatus(status, now));
  if (passwordSet !== undefined) tests.push((link) => link.passwordSet === passwordSet);
  if (maxClicksSet !== undefined) tests.push((link) => link.maxClicksSet === maxClicksSet);
  if (createdAfter !== undefined) tests.push((link) => link.createdAt >= createdAfter);
  if (createdBefore !== undefined) tests.push((link) => link.createdAt <= createdBefore);
  if (search !== undefined && search !== '') tests.push(contains(search));
  return tests;
}

function hasStatus(status: FilterStatus, now: number): LinkTest {
  if (status === 'BLOCKED') return () => false;
  if (status === 'EXPIRED') {
    return (link) => link.expireAfter <= now || (link.closedByLimit && link.status === 'INACTIVE');
  }
  return (link) => (link.expireAfter <= now ? 'INACTIVE' : link.status) === status;
}

function contains(search: string): LinkTest {
  // A part of the alias or of the address, not of both: the line feed between them is no part.
  if (search.includes('\n')) return () => false;
  const wanted = search.toLowerCase();
  return (link) => link.text.includes(wanted);
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

import { BadRequestError, UnprocessableError } from '../../core/errors';
import { parseTime } from '../../core/time';
import { LINK_STATUSES, type LinkStatus } from '../lookup/link';
import type { LinkFilter } from './link-filter';

const FIELD = 'filter';
const LONGEST_SEARCH = 500;
const SECOND = 1000;

type Given = Record<string, unknown>;

/** Reads the JSON object of `filter` (contract 6.1): shapes 422, unreadable times 400. */
export function readFilter(text: string | undefined): LinkFilter {
  if (text === undefined) return {};
  const given = parseObject(text);
  const shaped = {
    status: read(given, 'status', isStatus, 'ACTIVE or INACTIVE'),
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

const isStatus = (value: unknown): value is LinkStatus =>
  LINK_STATUSES.includes(value as LinkStatus);
const isBoolean = (value: unknown): value is boolean => typeof value === 'boolean';
const isSearch = (value: unknown): value is string =>
  typeof value === 'string' && value.length <= LONGEST_SEARCH;
const isTimeInput = (value: unknown): value is number | string =>
  typeof value === 'string' || Number.isSafeInteger(value);

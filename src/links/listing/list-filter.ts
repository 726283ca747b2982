import { BadRequestError, UnprocessableError } from '../../common/errors';
import { hostName } from '../../common/host';
import { refuseMisnamed } from '../../common/http/field-names';
import { parseTime } from '../../common/time';
import {
  DEFAULT_HOST,
  FILTER_STATUSES,
  type LinkFilter,
  type LinkFilterStatus,
  PRESENCE_FILTERS,
  type SearchWord,
  TAGS_MODES,
  type TagsMode,
} from '../link-index/link-list';
import { MAX_TAGS_OF_LINK, tagKey } from '../../stores/tags/tag';
import { type FilterPlaces, MAX_WORDS, searchWords } from './search-words';

const FILTER_FIELD = 'filter';
export const MAX_SEARCH_LENGTH = 500;
const SECOND_MS = 1000;

export const MAX_SOURCE_LENGTH = 100;
const MAX_DOMAIN_LENGTH = 253;

export const PRESENCE_NAMES = PRESENCE_FILTERS.map(({ filter }) => filter);

const FILTER_KEYS = [
  'status',
  'createdAfter',
  'createdBefore',
  ...PRESENCE_NAMES,
  'tags',
  'tagsMode',
  'excludeTags',
  'untagged',
  'source',
  'domain',
  'search',
];

type Given = Record<string, unknown>;

/** Throws 422 for a malformed filter, 400 for an invalid time (docs/contract.md#6.1). */
export function readFilter(text: string | undefined, places: FilterPlaces): LinkFilter {
  if (text === undefined) return {};
  const given = parseObject(text);
  refuseMisnamed(given, FILTER_KEYS);
  const shaped = {
    status: read(given, 'status', isStatus, `one of ${FILTER_STATUSES.join(', ')}`),
    ...Object.fromEntries(
      PRESENCE_NAMES.map((name) => [name, read(given, name, isBoolean, 'a boolean')]),
    ),
    untagged: read(given, 'untagged', isBoolean, 'a boolean'),
    source: read(given, 'source', isSource, `a string of at most ${MAX_SOURCE_LENGTH} characters`),
  };
  const names = `an array of at most ${MAX_TAGS_OF_LINK} strings`;
  const tags = read(given, 'tags', isNames, names);
  const mode = read(given, 'tagsMode', isTagsMode, `one of ${TAGS_MODES.join(', ')}`) ?? 'any';
  const excludeTags = read(given, 'excludeTags', isNames, names);
  const search = read(
    given,
    'search',
    isSearch,
    `a string of at most ${MAX_SEARCH_LENGTH} characters`,
  );
  const domain = read(given, 'domain', isDomain, 'a string of at most 253 characters');
  const createdAfter = read(given, 'createdAfter', isTimeInput, 'Unix seconds or an ISO 8601 time');
  const createdBefore = read(
    given,
    'createdBefore',
    isTimeInput,
    'Unix seconds or an ISO 8601 time',
  );
  return {
    ...shaped,
    createdAfter:
      createdAfter === undefined ? undefined : parseTimeField('createdAfter', createdAfter),
    createdBefore: createdBefore === undefined ? undefined : parseEnd(createdBefore),
    tags: tags === undefined ? undefined : { keys: tags.map(tagKey), mode },
    excludeTags: excludeTags?.map(tagKey),
    search: search === undefined ? undefined : parseSearchWords(search, places),
    domain: domain === undefined ? undefined : toDomainFilter(domain, places),
  };
}

export function toDomainFilter(name: string, { domains }: FilterPlaces): LinkFilter['domain'] {
  if (name === DEFAULT_HOST) return null;
  return domains.filter(({ fqdn }) => fqdn === hostName(name)).map(({ id }) => id);
}

function parseSearchWords(search: string, places: FilterPlaces): readonly SearchWord[] {
  const words = searchWords(search, places);
  if (words.length <= MAX_WORDS) return words;
  throw UnprocessableError.forField(FILTER_FIELD, `search must have at most ${MAX_WORDS} words`);
}

function parseObject(text: string): Given {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw UnprocessableError.forField(FILTER_FIELD, 'must be a JSON object');
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw UnprocessableError.forField(FILTER_FIELD, 'must be a JSON object');
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
  if (!isValid(value)) throw UnprocessableError.forField(FILTER_FIELD, `${key} must be ${wanted}`);
  return value;
}

function parseTimeField(key: string, input: number | string): number {
  const ms = parseTime(input);
  if (ms === null) throw new BadRequestError(`${key} is not a valid time`, FILTER_FIELD);
  return ms;
}

/** A time in Unix seconds includes the whole second, because created_at is returned in seconds. */
function parseEnd(input: number | string): number {
  const ms = parseTimeField('createdBefore', input);
  const inSeconds = typeof input === 'number' || /^\s*\d+\s*$/.test(input);
  return inSeconds ? ms + SECOND_MS - 1 : ms;
}

const isStatus = (value: unknown): value is LinkFilterStatus =>
  FILTER_STATUSES.includes(value as LinkFilterStatus);
const isBoolean = (value: unknown): value is boolean => typeof value === 'boolean';
const isSearch = (value: unknown): value is string =>
  typeof value === 'string' && value.length <= MAX_SEARCH_LENGTH;
const isSource = (value: unknown): value is string =>
  typeof value === 'string' && value.length <= MAX_SOURCE_LENGTH;
const isDomain = (value: unknown): value is string =>
  typeof value === 'string' && value.length <= MAX_DOMAIN_LENGTH;
const isTagsMode = (value: unknown): value is TagsMode => TAGS_MODES.includes(value as TagsMode);
const isNames = (value: unknown): value is string[] =>
  Array.isArray(value) &&
  value.length <= MAX_TAGS_OF_LINK &&
  value.every((name) => typeof name === 'string');
const isTimeInput = (value: unknown): value is number | string =>
  typeof value === 'string' || Number.isSafeInteger(value);

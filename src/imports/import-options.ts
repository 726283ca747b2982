import { BadRequestError, UnprocessableError } from '../common/errors';
import { distinctTagNames, MAX_TAGS_OF_LINK, tagNameProblem } from '../stores/tags/tag';
import { CSV_FIELDS } from './reading/csv-fields';
import {
  CONFLICT_RULES,
  DEFAULT_OPTIONS,
  EXISTING_RULES,
  HISTORY_RULES,
  IMPORT_SOURCES,
  type ImportOptions,
  type ImportSource,
  PROTECTED_RULES,
} from './store/import';
import { isTimeZone } from './reading/zoned-time';

const MAX_TEXT = 253;

const OPTION_READERS: {
  readonly [Name in keyof ImportOptions]: (value: unknown) => ImportOptions[Name];
} = {
  dry_run: (value) => {
    if (typeof value !== 'boolean') throw optionError('dry_run', 'must be true or false');
    return value;
  },
  on_conflict: (value) => parseWord('on_conflict', value, CONFLICT_RULES),
  on_existing: (value) => parseWord('on_existing', value, EXISTING_RULES),
  history: (value) => parseWord('history', value, HISTORY_RULES),
  protected: (value) => parseWord('protected', value, PROTECTED_RULES),
  timezone: (value) => {
    if (typeof value !== 'string') throw optionError('timezone', 'must be a string');
    if (value.length > MAX_TEXT || !isTimeZone(value)) {
      throw new BadRequestError('options.timezone is not a time zone', 'options.timezone');
    }
    return value;
  },
  short_domain: (value) => {
    if (value === null) return null;
    const isDomain = typeof value === 'string' && value !== '' && value.length <= MAX_TEXT;
    if (!isDomain)
      throw optionError('short_domain', `must be a string of at most ${MAX_TEXT} characters`);
    return value.toLowerCase();
  },
  tags: (value) => {
    const isList = Array.isArray(value) && value.every((item) => typeof item === 'string');
    if (!isList) throw optionError('tags', 'must be a list of names');
    const names = distinctTagNames(value);
    if (names.length > MAX_TAGS_OF_LINK)
      throw optionError('tags', `must have at most ${MAX_TAGS_OF_LINK} names`);
    const problem = names.map(tagNameProblem).find((item) => item !== null);
    if (problem != null) throw optionError('tags', `each ${problem}`);
    return names;
  },
  mapping: (value) => {
    if (!isObject(value)) throw optionError('mapping', 'must be an object');
    for (const [field, column] of Object.entries(value)) {
      if (!(CSV_FIELDS as string[]).includes(field)) {
        throw optionError(
          `mapping.${field}`,
          `is unknown; the fields are ${CSV_FIELDS.join(', ')}`,
        );
      }
      if (column !== null && typeof column !== 'string') {
        throw optionError(`mapping.${field}`, 'must be the name of a column, or null');
      }
    }
    return value as Record<string, string | null>;
  },
};

/** Options that a run can override. */
export const RUN_OPTIONS = [
  'on_conflict',
  'on_existing',
  'history',
  'protected',
  'timezone',
  'tags',
] as const satisfies readonly (keyof ImportOptions)[];

export function readSource(value: unknown): ImportSource {
  return parseWord('source', value, IMPORT_SOURCES, 'source');
}

/** @throws CurtailError */
export function readOptions(text: unknown): ImportOptions {
  if (text === undefined || text === '') return DEFAULT_OPTIONS;
  return parseOptions(parseJsonText(text));
}

/** @throws CurtailError */
export function parseOptions(value: unknown): ImportOptions {
  if (value === undefined) return DEFAULT_OPTIONS;
  return withOptions(DEFAULT_OPTIONS, value, Object.keys(OPTION_READERS));
}

export function runOptions(before: ImportOptions, given: unknown): ImportOptions {
  return given === undefined ? before : withOptions(before, given, RUN_OPTIONS);
}

function withOptions(
  before: ImportOptions,
  given: unknown,
  allowed: readonly string[],
): ImportOptions {
  if (!isObject(given)) throw UnprocessableError.forField('options', 'must be a JSON object');
  const read = Object.entries(given).map(([name, value]) => {
    if (!allowed.includes(name))
      throw optionError(name, `is unknown; the options are ${allowed.join(', ')}`);
    return [name, OPTION_READERS[name as keyof ImportOptions](value)] as const;
  });
  return { ...before, ...Object.fromEntries(read) };
}

function parseJsonText(text: unknown): unknown {
  try {
    return JSON.parse(String(text));
  } catch {
    return null;
  }
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function parseWord<T extends string>(
  name: string,
  value: unknown,
  words: readonly T[],
  field = `options.${name}`,
): T {
  const found = words.find((word) => word === value);
  if (found === undefined) {
    throw UnprocessableError.forField(field, `must be one of ${words.join(', ')}`);
  }
  return found;
}

function optionError(name: string, problem: string): UnprocessableError {
  return UnprocessableError.forField(`options.${name}`, problem);
}

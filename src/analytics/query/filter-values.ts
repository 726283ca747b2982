import { refuseMisnamed } from '../../common/http/field-names';
import type { FilterName } from '../dimensions';

/** The parts of a comma list, trimmed; empty parts and repeats dropped. */
export function commaList(text: string | undefined): string[] {
  const parts = (text ?? '').split(',').map((part) => part.trim());
  return [...new Set(parts.filter((part) => part !== ''))];
}

/**
 * Reads the `filters` parameter: a JSON object of arrays of texts, as entries. Null for anything
 * else; operators and nested objects are such, so nothing of it can ever reach a database.
 */
export function parseFilters(text: string): [string, string[]][] | null {
  let parsed: unknown;
  try {
    parsed = JSON.parse(text);
  } catch {
    return null;
  }
  if (typeof parsed !== 'object' || parsed === null || Array.isArray(parsed)) return null;
  const entries: [string, string[]][] = [];
  for (const [dimension, values] of Object.entries(parsed)) {
    if (!Array.isArray(values)) return null;
    if (!values.every((value): value is string => typeof value === 'string')) return null;
    entries.push([dimension, values]);
  }
  return entries;
}

export type FilterValues = Partial<Record<FilterName, string[]>>;

/**
 * Filters from `filters` and from the parameters of single dimensions, united (docs/contract.md#9.1).
 * Dimensions that the endpoint does not know are ignored, slips of the pen refused; an empty list
 * filters nothing.
 */
export function readFilters(
  query: { filters?: string } & Partial<Record<FilterName, string>>,
  inFilters: readonly FilterName[],
  asParameters: readonly FilterName[],
): FilterValues {
  const given = new Map(parseFilters(query.filters ?? '{}') ?? []);
  refuseMisnamed(Object.fromEntries(given), inFilters);
  const united: FilterValues = {};
  for (const dimension of inFilters) {
    const parameter = asParameters.includes(dimension) ? commaList(query[dimension]) : [];
    const values = [...new Set([...(given.get(dimension) ?? []), ...parameter])];
    if (values.length > 0) united[dimension] = values;
  }
  return united;
}

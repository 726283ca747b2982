import { refuseMisnamed } from '../../common/http/field-names';
import type { FilterName } from '../engine/dimensions';

export function commaList(text: string | undefined): string[] {
  const parts = (text ?? '').split(',').map((part) => part.trim());
  return [...new Set(parts.filter((part) => part !== ''))];
}

/**
 * Returns null unless the text is a JSON object of string arrays, so that it cannot contain
 * operators.
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

/** Ignores unknown dimensions but rejects likely typos. Ignores empty lists. */
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

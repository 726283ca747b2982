import type { FilterDimension } from './api-dimension';
import { commaList } from './comma-list';
import { parseFilters } from './filters-json';

export type FilterValues = Partial<Record<FilterDimension, string[]>>;

/**
 * Filters from `filters` and from the parameters of single dimensions, united (contract 9.1).
 * Dimensions that the endpoint does not know are ignored; an empty list filters nothing.
 */
export function readFilters(
  query: { filters?: string } & Partial<Record<FilterDimension, string>>,
  inFilters: readonly FilterDimension[],
  asParameters: readonly FilterDimension[],
): FilterValues {
  const given = new Map(parseFilters(query.filters ?? '{}') ?? []);
  const united: FilterValues = {};
  for (const dimension of inFilters) {
    const parameter = asParameters.includes(dimension) ? commaList(query[dimension]) : [];
    const values = [...new Set([...(given.get(dimension) ?? []), ...parameter])];
    if (values.length > 0) united[dimension] = values;
  }
  return united;
}

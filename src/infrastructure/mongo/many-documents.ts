import type { mongo } from 'mongoose';

/**
 * Documents that one statement changes, each with values of its own. A statement for each would
 * cost the database two to three times as much: it plans every one anew.
 */
export const DOCUMENTS_A_STATEMENT = 64;

/** The expression that gives the document with `ids[i]` the value `values[i]`, as it stands. */
export function valueByDocument(
  ids: readonly mongo.ObjectId[],
  values: readonly object[],
): Record<string, unknown> {
  const at = { $indexOfArray: [{ $literal: ids }, '$_id'] };
  return { $arrayElemAt: [{ $literal: values }, at] };
}

/** Slices of a list, each with `size` items at most. */
export function sliceItems<T>(items: readonly T[], size: number): (readonly T[])[] {
  const count = Math.ceil(items.length / size);
  return Array.from({ length: count }, (_, i) => items.slice(i * size, (i + 1) * size));
}

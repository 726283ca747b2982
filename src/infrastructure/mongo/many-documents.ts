import type { mongo } from 'mongoose';

/** Updates are grouped, because one statement per document takes two to three times as long. */
export const DOCUMENTS_A_STATEMENT = 64;

/** Returns an expression that evaluates to `values[i]` for the document with `ids[i]`. */
export function valueByDocument(
  ids: readonly mongo.ObjectId[],
  values: readonly object[],
): Record<string, unknown> {
  const at = { $indexOfArray: [{ $literal: ids }, '$_id'] };
  return { $arrayElemAt: [{ $literal: values }, at] };
}

export function sliceItems<T>(items: readonly T[], size: number): (readonly T[])[] {
  const count = Math.ceil(items.length / size);
  return Array.from({ length: count }, (_, i) => items.slice(i * size, (i + 1) * size));
}

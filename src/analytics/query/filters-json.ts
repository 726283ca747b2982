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

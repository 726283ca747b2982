/** Adds two sets of figures of one shape: numbers, arrays place by place, objects key by key. */
export function sum<T>(a: T, b: T): T {
  if (typeof a === 'number' && typeof b === 'number') return (a + b) as T;
  if (Array.isArray(a) && Array.isArray(b)) {
    return a.map((value: unknown, i) => sum(value, b[i] as unknown)) as T;
  }
  const result = { ...a } as Record<string, unknown>;
  for (const [key, value] of Object.entries(b as object)) {
    result[key] = key in result ? sum(result[key], value as unknown) : value;
  }
  return result as T;
}

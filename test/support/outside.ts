import { runInThisContext } from 'node:vm';

/**
 * Loads a package outside Jest's module registry, once per worker instead of once per file. Only for
 * packages whose results do not depend on the file's global classes.
 */
export const requireOutside = runInThisContext(
  `process.getBuiltinModule('node:module').createRequire(${JSON.stringify(__filename)})`,
) as (name: string) => unknown;

/** Returns the value kept under this name by an earlier file on this worker; otherwise makes it. */
export function keptOutside<T>(name: string, make: () => T): T {
  const kept = runInThisContext('globalThis') as Record<string, T | undefined>;
  return (kept[name] ??= make());
}

/**
 * Makes the file's imports of these packages use the copies loaded once per worker. Loading them for
 * each file would take longer than most tests.
 */
export function mockWithOutside(packages: readonly string[]): void {
  for (const name of packages) jest.doMock(name, () => requireOutside(name));
  // Documents that these packages read contain dates of the outer class.
  globalThis.Date = runInThisContext('Date') as DateConstructor;
}

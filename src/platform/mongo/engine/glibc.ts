/** The oldest C library that the engine loads with. */
export const NEEDED_GLIBC = '2.38';

/** The version of the C library this process runs with; null where it is another one (musl). */
export function runningGlibc(): string | null {
  // Without this the report looks up the names of all network peers first.
  Object.assign(process.report, { excludeNetwork: true });
  const report = process.report.getReport() as { header?: { glibcVersionRuntime?: unknown } };
  const version = report.header?.glibcVersionRuntime;
  return typeof version === 'string' ? version : null;
}

/** Whether a version such as `2.41` is new enough for the engine. */
export function isEnoughGlibc(version: string): boolean {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  const [neededMajor = 0, neededMinor = 0] = NEEDED_GLIBC.split('.').map(Number);
  return major > neededMajor || (major === neededMajor && minor >= neededMinor);
}

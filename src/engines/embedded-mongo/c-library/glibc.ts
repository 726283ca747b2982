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

/** How Debian and the C library name a processor that the engine is built for. */
export interface Processor {
  /** Debian's name of the architecture. */
  debian: string;
  /** The folder of its libraries below /usr/lib. */
  triplet: string;
  /** The file name of its dynamic loader. */
  loader: string;
}

const PROCESSORS: Partial<Record<NodeJS.Architecture, Processor>> = {
  x64: { debian: 'amd64', triplet: 'x86_64-linux-gnu', loader: 'ld-linux-x86-64.so.2' },
  arm64: { debian: 'arm64', triplet: 'aarch64-linux-gnu', loader: 'ld-linux-aarch64.so.1' },
};

/** The Linux processor of that name in Node.js; undefined when the engine is not built for it. */
export function findProcessor(arch: NodeJS.Architecture): Processor | undefined {
  return PROCESSORS[arch];
}

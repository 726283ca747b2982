export const NEEDED_GLIBC = '2.38';

/** Returns null if the system uses another C library, such as musl. */
export function runningGlibc(): string | null {
  // Without this option, the report first resolves all network peers' names.
  Object.assign(process.report, { excludeNetwork: true });
  const report = process.report.getReport() as { header?: { glibcVersionRuntime?: unknown } };
  const version = report.header?.glibcVersionRuntime;
  return typeof version === 'string' ? version : null;
}

export function isEnoughGlibc(version: string): boolean {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  const [neededMajor = 0, neededMinor = 0] = NEEDED_GLIBC.split('.').map(Number);
  return major > neededMajor || (major === neededMajor && minor >= neededMinor);
}

/** Names for a processor architecture that the engine supports. */
export interface Processor {
  debian: string;
  triplet: string;
  loader: string;
}

const PROCESSORS: Partial<Record<NodeJS.Architecture, Processor>> = {
  x64: { debian: 'amd64', triplet: 'x86_64-linux-gnu', loader: 'ld-linux-x86-64.so.2' },
  arm64: { debian: 'arm64', triplet: 'aarch64-linux-gnu', loader: 'ld-linux-aarch64.so.1' },
};

export function findProcessor(arch: NodeJS.Architecture): Processor | undefined {
  return PROCESSORS[arch];
}

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
export function processorOf(arch: NodeJS.Architecture): Processor | undefined {
  return PROCESSORS[arch];
}

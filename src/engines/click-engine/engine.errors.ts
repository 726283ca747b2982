/** Stored clicks that cannot be read back exactly: nothing is counted then, never guessed. */
export class CorruptChunkError extends Error {
  constructor(reason: string, cause?: unknown) {
    super(`Stored clicks are damaged: ${reason}`, { cause });
    this.name = 'CorruptChunkError';
  }
}

/** Another release wrote the chunk and can read it: it is not to be repaired. */
export class ChunkVersionError extends CorruptChunkError {
  constructor(version: number, newest: number) {
    super(
      `a chunk has format ${version}, which this release does not read (it reads format ${newest})`,
    );
    this.name = 'ChunkVersionError';
  }
}

/** The counting was given up: nobody waits for it any more, or it took too long. */
export class CancelledError extends Error {
  constructor() {
    super('The counting was cancelled');
    this.name = 'CancelledError';
  }
}

/** Clicks that are asked about do not fit into the memory, even with nothing else in it. */
export class MemoryNeededError extends Error {
  /** @param bytes memory with which they would fit, about */
  constructor(readonly bytes: number) {
    super(`Counting needs some ${bytes} bytes of memory`);
    this.name = 'MemoryNeededError';
  }
}

/** There is no memory left for a further result. */
export class EngineBusyError extends Error {
  constructor() {
    super('Too much is counted at a time');
    this.name = 'EngineBusyError';
  }
}

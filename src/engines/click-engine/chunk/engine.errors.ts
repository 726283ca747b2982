/** Stored clicks cannot be read back exactly; counting fails rather than estimates. */
export class CorruptChunkError extends Error {
  constructor(reason: string, cause?: unknown) {
    super(`Stored clicks are damaged: ${reason}`, { cause });
    this.name = 'CorruptChunkError';
  }
}

/** A newer release wrote the chunk, so it must not be repaired. */
export class ChunkVersionError extends CorruptChunkError {
  constructor(version: number, newest: number) {
    super(
      `a chunk has format ${version}, which this release does not read (it reads format ${newest})`,
    );
    this.name = 'ChunkVersionError';
  }
}

export class CancelledError extends Error {
  constructor() {
    super('The counting was cancelled');
    this.name = 'CancelledError';
  }
}

/** The required clicks do not fit in memory, even if nothing else is cached. */
export class MemoryNeededError extends Error {
  /** @param bytes approximate memory needed */
  constructor(readonly bytes: number) {
    super(`Counting needs about ${bytes} bytes of memory`);
    this.name = 'MemoryNeededError';
  }
}

export class EngineBusyError extends Error {
  constructor() {
    super('Too many queries are being counted');
    this.name = 'EngineBusyError';
  }
}

/** A later release stored a column in a layout that this release cannot preserve. */
export class UnknownColumnKindError extends Error {
  constructor(id: number, kind: number) {
    super(`Column ${id} is of kind ${kind}: only a later release can merge chunks of this link`);
    this.name = 'UnknownColumnKindError';
  }
}

/** Compaction replaced a block that the store listed; the store must be read again. */
export class BlockGoneError extends Error {}

export class MemoryExceededError extends Error {}

/** Stored clicks are damaged; queries fail instead of returning estimates. */
export class CorruptChunkError extends Error {
  constructor(reason: string, cause?: unknown) {
    super(`Stored clicks are damaged: ${reason}`, { cause });
    this.name = 'CorruptChunkError';
  }
}

/** A later release wrote the chunk, so this release must not repair it. */
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
    super('The query was cancelled');
    this.name = 'CancelledError';
  }
}

/** A query's clicks exceed the memory limit even if nothing else is cached. */
export class MemoryNeededError extends Error {
  /** @param bytes approximate memory needed */
  constructor(readonly bytes: number) {
    super(`Counting needs about ${bytes} bytes of memory`);
    this.name = 'MemoryNeededError';
  }
}

export class EngineBusyError extends Error {
  constructor() {
    super('Too many statistics queries are running');
    this.name = 'EngineBusyError';
  }
}

/** A later release stored a column with a layout that this release cannot preserve. */
export class UnknownColumnKindError extends Error {
  constructor(id: number, kind: number) {
    super(`Column ${id} is of kind ${kind}: only a later release can merge chunks of this link`);
    this.name = 'UnknownColumnKindError';
  }
}

/** Compaction has replaced a block that is listed in the store; read the store again. */
export class BlockGoneError extends Error {}

export class MemoryExceededError extends Error {}

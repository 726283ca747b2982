import { CurtailError } from '../../core/errors';

/** 500: stored clicks that cannot be read back exactly; figures are refused, never guessed. */
export class CorruptChunkError extends CurtailError {
  constructor(reason: string, cause?: unknown) {
    super(500, 'internal_error', `Stored clicks are damaged: ${reason}`, { cause });
  }
}

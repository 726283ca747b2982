import { CurtailError } from '../../core/errors';

/** The file named by GEOIP_DB cannot be used: it ends the start, before anything is recorded. */
export class GeoDatabaseError extends CurtailError {
  constructor(file: string, cause: unknown) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    super(500, 'internal_error', `The city database ${file} cannot be read: ${reason}`, { cause });
  }
}

import { CurtailError, type LogLevelOfError } from '../common/errors';

/** 503: a search that would have to read for longer than it may. */
export class SearchTooLongError extends CurtailError {
  constructor() {
    super(503, 'internal_error', 'The search takes too long: ask for less, or try again later', {
      headers: { 'Retry-After': '30' },
    });
  }

  override get logLevel(): LogLevelOfError {
    return 'info';
  }
}

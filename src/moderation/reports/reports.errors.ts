import {
  BadRequestError,
  CurtailError,
  type LogLevelOfError,
  UnprocessableError,
} from '../../common/errors';
import { HOUR_MS } from '../../common/time';

export class ItemCountError extends BadRequestError {
  constructor(max: number) {
    super(`items needs 1 to ${max} links`, 'items');
  }
}

/** 503: too many open reports. Clients retry after an hour. */
export class TooManyReportsError extends CurtailError {
  constructor() {
    super(503, 'internal_error', 'Too many reports are waiting for review; try again later', {
      headers: { 'Retry-After': String(HOUR_MS / 1000) },
    });
  }

  /** Logged only at debug, so that a flood does not fill the log. */
  override get logLevel(): LogLevelOfError {
    return 'debug';
  }
}

export class NoShortLinkError extends UnprocessableError {
  constructor() {
    super([{ field: 'url', error: 'must be a short link on this service' }]);
  }
}

export class UnknownReportedLinkError extends CurtailError {
  constructor() {
    super(404, 'not_found', 'There is no link with this address', { field: 'url' });
  }
}

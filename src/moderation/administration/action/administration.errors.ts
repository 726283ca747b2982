import {
  CurtailError,
  type LogLevelOfError,
  NotFoundError,
  BadRequestError,
} from '../../../common/errors';

export class SearchTooLongError extends CurtailError {
  constructor() {
    super(503, 'internal_error', 'The search takes too long: narrow it down, or try again later', {
      headers: { 'Retry-After': '30' },
    });
  }

  override get logLevel(): LogLevelOfError {
    return 'info';
  }
}

export class UnknownReportError extends NotFoundError {
  constructor() {
    super('There is no such report');
  }
}

export class ReportClosedError extends CurtailError {
  constructor() {
    super(409, 'conflict', 'The report is already closed');
  }
}

export class ReportedLinkGoneError extends CurtailError {
  constructor() {
    super(409, 'conflict', 'The reported link no longer exists: dismiss the report');
  }
}

/** 400: the account has no password, or cannot sign in. */
export class NoResetError extends BadRequestError {}

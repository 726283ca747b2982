import {
  BadRequestError,
  conflict,
  CurtailError,
  type LogLevelOfError,
  notFound,
} from '../../../common/errors';

export class SearchTooLongError extends CurtailError {
  constructor() {
    super(503, 'internal_error', 'The search took too long. Narrow it down, or try again later', {
      headers: { 'Retry-After': '30' },
    });
  }

  override get logLevel(): LogLevelOfError {
    return 'info';
  }
}

export class UnknownReportError extends notFound('Report not found') {}

export class ReportClosedError extends conflict('The report is already closed') {}

export class ReportedLinkGoneError extends conflict(
  'The reported link no longer exists: dismiss the report',
) {}

export class UnknownBlockedHostError extends notFound('The host is not blocked') {}

/** 400: the host cannot be blocked. */
export class RefusedHostError extends BadRequestError {
  constructor(message: string) {
    super(message, 'host');
  }
}

/** 400: the account has no password, or cannot sign in. */
export class NoResetError extends BadRequestError {}

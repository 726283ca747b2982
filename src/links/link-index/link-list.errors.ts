import { CurtailError, type LogLevelOfError } from '../../common/errors';

/** 503: listings in use leave too little memory to load the account's links. */
export class ListMemoryError extends CurtailError {
  constructor() {
    super(503, 'internal_error', 'There is no memory left to sort these links; try again shortly', {
      headers: { 'Retry-After': '10' },
      hint: 'Lists by created_at without a filter are always available',
    });
  }

  override get logLevel(): LogLevelOfError {
    return 'info';
  }
}

export class TooManyFilesError extends CurtailError {
  constructor() {
    super(503, 'internal_error', 'Too many files are being written; try again shortly', {
      headers: { 'Retry-After': '10' },
    });
  }

  override get logLevel(): LogLevelOfError {
    return 'info';
  }
}

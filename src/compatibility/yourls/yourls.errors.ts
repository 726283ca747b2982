import { CurtailError, type ErrorCode } from '../../common/errors';
import type { YourlsBody } from './yourls-response';

export class YourlsError extends CurtailError {
  constructor(
    status: number,
    code: ErrorCode,
    readonly body: YourlsBody,
  ) {
    super(status, code, body.simple);
  }
}

export class YourlsRequestError extends YourlsError {
  constructor(message: string) {
    super(400, 'validation_error', { fields: { errorCode: '400', message }, simple: message });
  }
}

/** A failure of `shorturl`, for which `format=simple` is empty. */
export class YourlsShortenError extends YourlsError {
  constructor(code: `error:${string}`, message: string, errorCode: ErrorCode) {
    const status = errorCode === 'blocked' ? 403 : 400;
    const statusCode = String(status);
    const fields = { status: 'fail', code, message, errorCode: statusCode, statusCode };
    super(status, errorCode, { fields, simple: '' });
  }
}

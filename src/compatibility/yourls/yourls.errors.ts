import { CurtailError, type ErrorCode } from '../../common/errors';

/** The body of a YOURLS response, with what `format=simple` returns instead. */
export interface YourlsBody {
  readonly fields: object;
  readonly simple: string;
}

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

type ShortenCode = 'error:nourl' | 'error:noloop' | 'error:keyword' | 'error:spam';

/** A failure of `shorturl`, for which `format=simple` is empty. */
export class YourlsShortenError extends YourlsError {
  constructor(code: ShortenCode, message: string, { code: errorCode }: Pick<CurtailError, 'code'>) {
    const isSpam = code === 'error:spam';
    const status = isSpam ? 403 : 400;
    const statusCode = String(status);
    super(status, isSpam ? 'blocked' : errorCode, {
      fields: { status: 'fail', code, message, errorCode: statusCode, statusCode },
      simple: '',
    });
  }
}

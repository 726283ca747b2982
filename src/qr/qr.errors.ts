import {
  BadRequestError,
  CurtailError,
  type LogLevelOfError,
  NotFoundError,
  UnprocessableError,
} from '../common/errors';
import { registerRpcError } from '../processes/rpc/rpc-errors';

/** 400: readers could not tell dark from light. */
export class QrColoursError extends BadRequestError {
  constructor() {
    super('dark must be darker than light, by a contrast of 4.5 to 1 at least', 'dark');
  }
}

/** 400: a logo is asked for, and the account has none. */
export class NoLogoError extends BadRequestError {
  constructor() {
    super('The account of this link has no logo: store one with PUT /api/v1/qr/logo', 'logo');
  }
}

/** 400: the short URL is longer than the largest code holds at that level. */
export class QrTooLongForLevelError extends BadRequestError {
  constructor(level: string) {
    super(`The short URL is too long for a code of error correction ${level}: take a lower level`);
  }
}

/** 400: modules would be smaller than two pixels. */
export class QrSizeError extends BadRequestError {
  constructor(smallest: number) {
    super(`size must be at least ${smallest} for a PNG of this code with its margin`, 'size');
  }
}

/** 404: the account has no logo. */
export class UnknownLogoError extends NotFoundError {
  constructor() {
    super('No logo is stored');
  }
}

/** 422: what was sent is no PNG that can be drawn. */
export class LogoRefusedError extends UnprocessableError {
  constructor(reason: string) {
    super([{ field: 'input', error: reason }]);
  }
}

/** An upload that is no picture for a code; says why. */
export class LogoError extends Error {}
registerRpcError(LogoError, 'qr.logo', (reason) => new LogoRefusedError(reason));

/** 503: more codes are asked for than can be drawn in time. */
export class QrBusyError extends CurtailError {
  constructor() {
    super(503, 'internal_error', 'Too many codes are asked for, try again shortly', {
      headers: { 'Retry-After': '2' },
    });
  }

  /** A load that was expected and is answered for; whoever causes it shall not fill the log. */
  override get logLevel(): LogLevelOfError {
    return 'info';
  }
}

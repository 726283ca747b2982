import {
  badRequest,
  BadRequestError,
  CurtailError,
  type LogLevelOfError,
  notFound,
  UnprocessableError,
} from '../../common/errors';
import { registerRpcError } from '../../processes/rpc/rpc-errors';

/** 400: the contrast is too low for scanners. */
export class QrColoursError extends badRequest(
  'dark must be darker than light, with a contrast of at least 4.5 to 1',
  'dark',
) {}

export class NoLogoError extends badRequest(
  "This link's account has no logo: store one with PUT /api/v1/qr/logo",
  'logo',
) {}

export class QrTooLongForLevelError extends BadRequestError {
  constructor(level: string) {
    super(
      `The short URL is too long for a QR code with error correction ${level}: use a lower level`,
    );
  }
}

/** 400: modules would be smaller than two pixels. */
export class QrSizeError extends BadRequestError {
  constructor(smallest: number) {
    super(`size must be at least ${smallest} for a PNG of this code with its margin`, 'size');
  }
}

export class UnknownLogoError extends notFound('No logo is stored') {}

/** 422: the upload is not a usable PNG. */
export class LogoRefusedError extends UnprocessableError {
  constructor(reason: string) {
    super([{ field: 'input', error: reason }]);
  }
}

export class LogoError extends Error {}
registerRpcError(LogoError, 'qr.logo', (reason) => new LogoRefusedError(reason));

/** 503: too many drawings are queued. */
export class QrBusyError extends CurtailError {
  constructor() {
    super(503, 'internal_error', 'Too many QR codes at once; try again shortly', {
      headers: { 'Retry-After': '2' },
    });
  }

  /** Expected under load, so not logged as an error. */
  override get logLevel(): LogLevelOfError {
    return 'info';
  }
}

/** The text does not fit into the largest version. */
export class QrTooLongError extends Error {}

import { BadRequestError } from '../../common/errors';
import { LegacyError } from '../legacy.errors';

/** 404: no link has this code, or its statistics are private; both look alike. */
export class StatisticsUnknownError extends LegacyError {
  constructor() {
    super(404, 'UrlError', 'There are no statistics at this address', { code: 'not_found' });
  }
}

/** 400: the link's password is missing or wrong; people are asked for it. */
export class StatisticsPasswordError extends LegacyError {
  constructor(message: string, wrong: boolean) {
    super(400, 'PasswordError', message, { form: { kind: 'link-password', wrong } });
  }
}

/** 400: the form was sent without a code; people get it back. */
export class ShortCodeMissingError extends BadRequestError {
  constructor() {
    super('A short link or its code is missing', 'short_code');
  }
}

/** 400: there is no such form of a file. */
export class FormatError extends LegacyError {
  constructor(message = 'The format must be csv, xlsx, json or xml') {
    super(400, 'FormatError', message);
  }
}

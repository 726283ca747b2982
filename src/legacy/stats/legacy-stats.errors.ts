import { LegacyError } from '../request/legacy.errors';

/** 404: identical for unknown codes and private statistics. */
export class StatisticsUnknownError extends LegacyError {
  constructor() {
    super(404, 'UrlError', 'There are no statistics at this address', { code: 'not_found' });
  }
}

/** 400: the link's password is missing or wrong; the page asks for it. */
export class StatisticsPasswordError extends LegacyError {
  constructor(message: string, wrong: boolean) {
    super(400, 'PasswordError', message, { form: { kind: 'link-password', wrong } });
  }
}

export class FormatError extends LegacyError {
  constructor(message = 'The format must be csv, xlsx, json or xml') {
    super(400, 'FormatError', message);
  }
}

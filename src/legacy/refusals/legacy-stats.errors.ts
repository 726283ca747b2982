import { LegacyError } from '../request/legacy.errors';

/** 404: the same for unknown codes and private statistics. */
export class StatisticsUnknownError extends LegacyError {
  constructor() {
    super(404, 'UrlError', 'There are no statistics at this address', { code: 'not_found' });
  }
}

/** 400: the link password is missing or wrong. The page asks for the password. */
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

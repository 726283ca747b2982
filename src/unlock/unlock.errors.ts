import type { IncomingMessage } from 'node:http';
import { CurtailError, type ErrorCode, BadRequestError } from '../core/errors';
import type { ErrorRendering, SelfRendering } from '../http/error-answer';
import { wantsJson } from '../http/error-form';
import { passwordPage } from './password-page';

/** 401 of a password link: JSON for programs, the password form for people (contract 8.1). */
abstract class LinkPasswordError extends CurtailError implements SelfRendering {
  constructor(
    private readonly alias: string,
    code: ErrorCode,
    message: string,
  ) {
    super(401, code, message);
  }

  render(request: IncomingMessage): ErrorRendering | null {
    if (wantsJson(request)) return null;
    return { contentType: 'text/html; charset=utf-8', body: passwordPage(this.alias, this) };
  }
}

export class LinkPasswordRequiredError extends LinkPasswordError {
  constructor(alias: string) {
    super(alias, 'password_required', 'This link is protected by a password');
  }
}

export class LinkPasswordWrongError extends LinkPasswordError {
  constructor(alias: string) {
    super(alias, 'invalid_password', 'That password is not right');
  }
}

/** 400: a password was posted for a link that has none. */
export class NoPasswordNeededError extends BadRequestError {
  constructor() {
    super('This link has no password', 'password');
  }
}

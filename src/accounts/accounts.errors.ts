import { AuthenticationError, CurtailError, BadRequestError } from '../core/errors';

/** 409: another account has the email. */
export class EmailTakenError extends CurtailError {
  constructor() {
    super(409, 'conflict', 'An account with this email exists already', { field: 'email' });
  }
}

/** 400: the password misses something (contract 12.3). */
export class WeakPasswordError extends BadRequestError {
  constructor(missing: readonly string[]) {
    super(`The password needs ${missing.join(', ')}`, 'password', {
      missing_requirements: missing,
    });
  }
}

/** 400: set-password on an account that has one. */
export class PasswordAlreadySetError extends BadRequestError {
  constructor() {
    super('This account has a password already; use the password reset to change it', 'password');
  }
}

/** 401: one answer for unknown email, wrong password and account without password. */
export class LoginFailedError extends AuthenticationError {
  constructor() {
    super('Email or password is wrong');
  }
}

/** 401: the credential's account is no longer there. */
export class AccountGoneError extends AuthenticationError {
  constructor() {
    super('The credential is not valid');
  }
}

/** 500: a mail that the caller waits for could not be sent. */
export class MailNotSentError extends CurtailError {
  constructor() {
    super(500, 'internal_error', 'The mail could not be sent, try again later');
  }
}

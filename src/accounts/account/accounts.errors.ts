import {
  badRequest,
  BadRequestError,
  conflict,
  CurtailError,
  ForbiddenError,
  notFound,
  unauthenticated,
} from '../../common/errors';
import type { Registration } from '../../config/options';

export class EmailTakenError extends conflict('An account with this email already exists', {
  field: 'email',
}) {}

export class RegistrationClosedError extends CurtailError {
  constructor(registration: Registration) {
    const listed = Array.isArray(registration);
    super(
      403,
      'forbidden',
      listed ? 'Only email addresses of certain domains can register here' : 'Sign-up is closed',
      listed ? { field: 'email' } : {},
    );
  }
}

export class WeakPasswordError extends BadRequestError {
  constructor(missing: readonly string[]) {
    super(`The password needs ${missing.join(', ')}`, 'password', {
      missing_requirements: missing,
    });
  }
}

export class PasswordNotSetError extends badRequest(
  'This account has no password yet; set one first',
  'current_password',
) {}

export class CurrentPasswordWrongError extends CurtailError {
  constructor() {
    super(401, 'authentication_error', 'The current password is wrong', {
      field: 'current_password',
    });
  }
}

export class PasswordAlreadySetError extends badRequest(
  'This account already has a password; use the password reset to change it',
  'password',
) {}

/** 401: identical for an unknown email, a wrong password and an account without a password. */
export class LoginFailedError extends unauthenticated('Email or password is wrong') {}

export class AccountGoneError extends unauthenticated(
  'The account of this credential no longer exists',
) {}

export class MailNotSentError extends CurtailError {
  constructor() {
    super(500, 'internal_error', 'The email could not be sent; try again later');
  }
}

/** 400: identical for wrong, expired, used and blocked codes. */
export class CodeRefusedError extends badRequest(
  'The code is wrong or no longer valid; request a new one',
  'code',
) {}

export class IdentityTakenError extends conflict('This sign-in is already linked to an account') {}

/** 409: a concurrent request changed the account; nothing was written. */
export class AccountChangedError extends conflict(
  'Another request changed the account at the same time; try again',
) {}

/** 403: returned only to the verified owner (docs/contract.md#24.4). */
export class AccountSuspendedError extends CurtailError {
  constructor() {
    super(403, 'forbidden', 'This account is suspended', { hint: 'suspended' });
  }
}

/** 403: returned only to the verified owner (docs/contract.md#24.12). */
export class AccountGoingError extends CurtailError {
  constructor() {
    super(403, 'forbidden', 'This account is being deleted');
  }
}

/** 400: a password was sent, although the account has none. */
export class NoPasswordError extends badRequest(
  'This account has no password; use a code instead',
  'password',
) {}

export class PasswordWrongError extends CurtailError {
  constructor() {
    super(401, 'authentication_error', 'The password is wrong', { field: 'password' });
  }
}

export class CodeMissingError extends badRequest(
  'Deleting the account now needs a code from an email',
  'code',
) {}

export class OwnEmailError extends badRequest('This is already your email address', 'email') {}

/** 400: the email address was changed recently, and its earlier owner may still undo that. */
export class AddressHeldError extends badRequest(
  'The email address changed less than seven days ago; delete the account without "now"',
  'now',
) {}

/** 503: no email could be sent to the old address, so nothing was changed. */
export class MailUnavailableError extends CurtailError {
  constructor() {
    super(
      503,
      'internal_error',
      'The email to your current address could not be sent; try again later',
    );
  }
}

/** 400: unknown, used, expired and void links. */
export class UndoRefusedError extends badRequest(
  'This link is no longer valid: it was used, or is older than seven days',
) {}

export class NotLeavingError extends conflict('This account is not about to be deleted') {}

export class DeletionBegunError extends conflict('This account is being deleted') {}

export class SelfDeletionError extends badRequest('You cannot delete your own account here') {}

export class OtherEmailError extends badRequest(
  "This is not the account's email address",
  'email',
) {}

export class SelfSuspensionError extends badRequest('You cannot suspend your own account') {}

export class LastAdminError extends badRequest(
  'This is the last admin; first make another verified, active account an admin',
) {}

/** 400: the address is listed in ADMIN_EMAILS, which grants the role. */
export class RoleHeldError extends badRequest(
  'ADMIN_EMAILS contains this address; the operator must remove it there',
  'role',
) {}

export class UnverifiedAdminError extends badRequest(
  "This account's email address is not verified yet",
  'role',
) {}

export class AdminsBusyError extends CurtailError {
  constructor() {
    super(503, 'internal_error', 'Another change of admins is in progress; try again shortly', {
      headers: { 'Retry-After': '1' },
    });
  }
}

/** 403: PASSWORD_SIGN_IN is false (docs/contract.md#34.5). */
export class PasswordSignInOffError extends CurtailError {
  constructor() {
    super(403, 'forbidden', 'Accounts here have no passwords: sign in through a provider', {
      hint: 'password_sign_in',
    });
  }
}

/** 404: identical for missing, wrong, expired, replaced and used tokens. */
export class SetupLinkError extends notFound('This link is not valid') {}

export class SetupClosedError extends CurtailError {
  constructor(passwordSignIn: boolean) {
    const message = passwordSignIn
      ? 'Set-up is closed: there is an administrator, or there were accounts at the first start'
      : 'PASSWORD_SIGN_IN is false: the first administrator signs in with an address from ADMIN_EMAILS';
    super(409, 'conflict', message);
  }
}

export class UnknownAccountError extends notFound('Account not found') {}

export class RefreshRefusedError extends unauthenticated('The session has ended; sign in again') {}

export class SessionEndedError extends unauthenticated('The session has ended; sign in again') {}

export class UnknownSessionError extends notFound('Session not found') {}

/** 403: the form was sent from another site or under another of this service's host names. */
export class ForeignFormError extends ForbiddenError {
  constructor(baseUrl: string) {
    super(
      `This form was not sent from ${baseUrl}. Open it there and send it again. If the service has another address, the operator must set BASE_URL to it`,
    );
  }
}

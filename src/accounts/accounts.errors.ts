import {
  AuthenticationError,
  BadRequestError,
  CurtailError,
  ForbiddenError,
  NotFoundError,
} from '../common/errors';
import type { Registration } from '../config/options';

/** 409: another account has the email. */
export class EmailTakenError extends CurtailError {
  constructor() {
    super(409, 'conflict', 'An account with this email exists already', { field: 'email' });
  }
}

/** 403: the operator lets nobody register, or nobody with an address of this domain. */
export class RegistrationClosedError extends CurtailError {
  constructor(registration: Registration) {
    const listed = Array.isArray(registration);
    super(
      403,
      'forbidden',
      listed
        ? 'Accounts are made here for certain mail domains only, and yours is none of them'
        : 'No new accounts are made here',
      listed ? { field: 'email' } : {},
    );
  }
}

/** 400: the password misses something (docs/contract.md#12.3). */
export class WeakPasswordError extends BadRequestError {
  constructor(missing: readonly string[]) {
    super(`The password needs ${missing.join(', ')}`, 'password', {
      missing_requirements: missing,
    });
  }
}

/** 400: change-password on an account that has none. */
export class PasswordNotSetError extends BadRequestError {
  constructor() {
    super('This account has no password yet; set its first one', 'current_password');
  }
}

/** 401: the password that has to be shown before a change is not the account's. */
export class CurrentPasswordWrongError extends CurtailError {
  constructor() {
    super(401, 'authentication_error', 'The current password is wrong', {
      field: 'current_password',
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
    super('The account of this credential is gone');
  }
}

/** 500: a mail that the caller waits for could not be sent. */
export class MailNotSentError extends CurtailError {
  constructor() {
    super(500, 'internal_error', 'The mail could not be sent, try again later');
  }
}

/** 400: wrong, expired, used or dead; one answer for all of them. */
export class CodeRefusedError extends BadRequestError {
  constructor() {
    super('The code is wrong or no longer valid, ask for a new one', 'code');
  }
}

/** 409: the identity belongs to an account already. */
export class IdentityTakenError extends CurtailError {
  constructor() {
    super(409, 'conflict', 'This sign-in is linked to an account already');
  }
}

/** 409: the account was changed by somebody else at the same moment; nothing was written. */
export class AccountChangedError extends CurtailError {
  constructor() {
    super(409, 'conflict', 'The account was changed at the same time, try again');
  }
}

/** 403: the account is suspended (docs/contract.md#24.4); told to who has shown to be its owner. */
export class AccountSuspendedError extends CurtailError {
  constructor() {
    super(403, 'forbidden', 'This account is suspended', { hint: 'suspended' });
  }
}

/** 403: the account is being deleted (docs/contract.md#24.12); told to who has shown to be its owner. */
export class AccountGoingError extends CurtailError {
  constructor() {
    super(403, 'forbidden', 'This account is being deleted');
  }
}

/** 409: an account that is being deleted is not changed any more. */
export class DeletionBegunError extends CurtailError {
  constructor() {
    super(409, 'conflict', 'This account is being deleted');
  }
}

/** 400: an admin does not delete the account that they act with here. */
export class SelfDeletionError extends BadRequestError {
  constructor() {
    super('You cannot delete your own account here');
  }
}

/** 400: not the address of the account that is to be deleted. */
export class OtherEmailError extends BadRequestError {
  constructor() {
    super('This is not the email address of the account', 'email');
  }
}

/** 400: an admin does not suspend the account that they act with. */
export class SelfSuspensionError extends BadRequestError {
  constructor() {
    super('You cannot suspend your own account');
  }
}

/** 400: nobody would be left who administers the service (docs/contract.md#24.1). */
export class LastAdminError extends BadRequestError {
  constructor() {
    super('There must be another admin first: one who is verified and not suspended');
  }
}

/** 400: ADMIN_EMAILS gives the role to this address. */
export class RoleHeldError extends BadRequestError {
  constructor() {
    super('ADMIN_EMAILS names this address; whoever runs the service takes it off there', 'role');
  }
}

/** 400: the role is for people who have shown to be the owners of their addresses. */
export class UnverifiedAdminError extends BadRequestError {
  constructor() {
    super('Its email address is not verified yet', 'role');
  }
}

/** 503: another change of who administers the service did not end in time. */
export class AdminsBusyError extends CurtailError {
  constructor() {
    super(503, 'internal_error', 'Admins are being changed, try again shortly', {
      headers: { 'Retry-After': '1' },
    });
  }
}

/** 404: no account has the id. */
export class UnknownAccountError extends NotFoundError {
  constructor() {
    super('There is no such account');
  }
}

/** 401: the refresh token is missing, expired, spent or invalid. */
export class RefreshRefusedError extends AuthenticationError {
  constructor() {
    super('The session has ended, sign in again');
  }
}

/** 401: the session was ended meanwhile, by its owner or by another change of the password. */
export class SessionEndedError extends AuthenticationError {
  constructor() {
    super('The session has ended, sign in again');
  }
}

/** 404: the account has no such session, or no longer. */
export class UnknownSessionError extends NotFoundError {
  constructor() {
    super('There is no such session');
  }
}

/** 403: a form of ours that another site has sent, or that was opened under another name of ours. */
export class ForeignFormError extends ForbiddenError {
  constructor(baseUrl: string) {
    super(
      `This form was not sent from ${baseUrl}. Open it there and send it again. Whoever runs this service at another address sets BASE_URL to that`,
    );
  }
}

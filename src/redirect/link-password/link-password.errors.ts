import { badRequest, CurtailError, type ErrorCode } from '../../common/errors';
import type { RememberedLink } from '../../stores/links/link';

type ProtectedLink = Pick<RememberedLink, 'alias' | 'forwardQuery'>;

/** 401: JSON for programs, the password form for browsers (docs/contract.md#8.1). */
export abstract class LinkPasswordError extends CurtailError {
  constructor(
    readonly link: ProtectedLink,
    code: ErrorCode,
    message: string,
  ) {
    super(401, code, message);
  }
}

export class LinkPasswordRequiredError extends LinkPasswordError {
  constructor(link: ProtectedLink) {
    super(link, 'password_required', 'This link is protected by a password');
  }
}

export class LinkPasswordWrongError extends LinkPasswordError {
  constructor(link: ProtectedLink) {
    super(link, 'invalid_password', 'This password is wrong');
  }
}

export class NoPasswordNeededError extends badRequest('This link has no password', 'password') {}

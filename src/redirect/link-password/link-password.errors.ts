import { BadRequestError, CurtailError, type ErrorCode } from '../../common/errors';
import type { RememberedLink } from '../../stores/links/link';

type ProtectedLink = Pick<RememberedLink, 'alias' | 'forwardQuery'>;

/** 401 of a password link: JSON for programs, the password form for people (docs/contract.md#8.1). */
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
    super(link, 'invalid_password', 'That password is not right');
  }
}

/** 400: a password was posted for a link that has none. */
export class NoPasswordNeededError extends BadRequestError {
  constructor() {
    super('This link has no password', 'password');
  }
}

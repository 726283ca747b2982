import { CurtailError, ForbiddenError } from '../common/errors';

/** 403: the account's email is not verified yet (docs/contract.md#3.1). */
export class EmailNotVerifiedError extends CurtailError {
  constructor() {
    super(403, 'email_not_verified', 'Verify your email address first');
  }
}

/** 403: the key lacks the scope (docs/contract.md#3.2). */
export class ScopeMissingError extends ForbiddenError {
  constructor(scopes: readonly string[]) {
    super(`The API key needs the scope ${[...new Set([...scopes, 'admin:all'])].join(' or ')}`);
  }
}

/** 403: the route takes sessions only. */
export class KeyRefusedError extends ForbiddenError {
  constructor() {
    super('API keys may not do this, sign in instead');
  }
}

/** 403: a cookie session was used from an origin that is not allowed (docs/contract.md#3.4). */
export class OriginRefusedError extends ForbiddenError {
  constructor() {
    super('This origin may not act with your session');
  }
}

import { CurtailError, ForbiddenError } from '../common/errors';

export class EmailNotVerifiedError extends CurtailError {
  constructor() {
    super(403, 'email_not_verified', 'Verify your email address first');
  }
}

export class ScopeMissingError extends ForbiddenError {
  constructor(scopes: readonly string[]) {
    super(`The API key needs the scope ${[...new Set([...scopes, 'admin:all'])].join(' or ')}`);
  }
}

export class KeyRefusedError extends ForbiddenError {
  constructor() {
    super('API keys may not do this, sign in instead');
  }
}

export class OriginRefusedError extends ForbiddenError {
  constructor() {
    super('This origin may not act with your session');
  }
}

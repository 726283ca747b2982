import { CurtailError, forbidden, ForbiddenError } from '../common/errors';

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

export class KeyRefusedError extends forbidden(
  'API keys are not allowed to do this; sign in instead',
) {}

/** 403: the account is about to be deleted, so that it can only be read or restored. */
export class AccountLeavingError extends CurtailError {
  constructor() {
    super(403, 'forbidden', 'This account is about to be deleted; restore it to make changes', {
      hint: 'restore',
    });
  }
}

export class OriginRefusedError extends forbidden(
  'This origin is not allowed to use your session',
) {}

/** 429 with the headers of docs/contract.md#4.1. Only anonymous callers get the `hint`. */
export class RateLimitError extends CurtailError {
  /** Time to wait in words, such as `42 seconds`. */
  readonly wait: string;

  constructor(retryAfterSeconds: number, hint?: string) {
    const wait = inWords(retryAfterSeconds);
    super(429, 'rate_limit_exceeded', `Too many requests; try again in ${wait}`, {
      hint,
      headers: {
        'Retry-After': String(retryAfterSeconds),
        ...(hint === undefined ? {} : { 'X-Svc-Hint': hint }),
      },
    });
    this.wait = wait;
  }
}

/** Rounds up, so that the wait is always long enough. */
function inWords(seconds: number): string {
  const [count, unit] =
    seconds < 120
      ? [seconds, 'second']
      : seconds < 7200
        ? [Math.ceil(seconds / 60), 'minute']
        : [Math.ceil(seconds / 3600), 'hour'];
  return `${count} ${unit}${count === 1 ? '' : 's'}`;
}

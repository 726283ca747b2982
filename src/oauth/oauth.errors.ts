import {
  AuthenticationError,
  BadRequestError,
  CurtailError,
  NotFoundError,
} from '../common/errors';

const DEPTH = 3;

/**
 * Returns what may be logged of a library's error: its message, names and codes of its causes.
 * The rest of such an error holds the provider's whole answer, tokens and all.
 */
export function safeReason(error: unknown): string {
  if (!(error instanceof Error)) return 'unknown';
  const causes: string[] = [];
  let cause = error.cause;
  while (cause instanceof Error && causes.length < DEPTH) {
    causes.push(errorKind(cause));
    cause = cause.cause;
  }
  return [`${errorKind(error)}: ${error.message.slice(0, 200)}`, ...causes].join(' < ');
}

function errorKind(error: Error): string {
  return 'code' in error && typeof error.code === 'string'
    ? `${error.name} ${error.code}`
    : error.name;
}

/** 404: no such provider, or the operator has not set it up. */
export class UnknownProviderError extends NotFoundError {
  constructor() {
    super('There is no such sign-in provider here');
  }
}

/** 400: state missing, unknown, spent, expired, or another browser's. */
export class StateRefusedError extends BadRequestError {
  constructor() {
    super('This sign-in has expired or was used already, start it again', 'state');
  }
}

/** 401: the session that asked for the link has ended since. */
export class LinkEndedError extends AuthenticationError {
  constructor() {
    super('The session that began this link has ended, sign in and start it again');
  }
}

/** 400: the provider sent an error, or nothing to go on with. */
export class SignInDeniedError extends BadRequestError {
  constructor(title: string, code: string | null) {
    const known = code !== null && /^[a-z_]{1,40}$/.test(code) ? ` (${code})` : '';
    super(`${title} did not complete the sign-in${known}`);
  }
}

/** 500: the code exchange or the profile fetch has failed, or the provider cannot be reached. */
export class ProviderFailedError extends CurtailError {
  constructor(title: string, cause: unknown) {
    super(500, 'internal_error', `${title} could not be asked who you are, try again later`, {
      cause: new Error(`${title}: ${safeReason(cause)}`),
    });
  }
}

/** 400: the provider tells no email address that an account could have. */
export class EmailMissingError extends BadRequestError {
  constructor(title: string) {
    super(`${title} tells no email address of yours; allow it and start again`, 'email');
  }
}

/** 409: the address has an account, and the provider does not vouch for it. */
export class EmailUnprovenError extends CurtailError {
  constructor(title: string) {
    const way = 'Sign in as you usually do, then link it';
    super(409, 'conflict', `Your email has an account, but ${title} has not verified it. ${way}`, {
      field: 'email',
    });
  }
}

/** 409: the account has an identity of this provider. */
export class ProviderLinkedError extends CurtailError {
  constructor(title: string) {
    super(409, 'conflict', `Your account is linked to ${title} already`);
  }
}

/** 400: only an identity with the account's own email can be linked. */
export class EmailDiffersError extends BadRequestError {
  constructor(title: string) {
    super(`Your email at ${title} is not the one of your account`, 'email');
  }
}

/** 404: the account has no identity of this provider. */
export class NotLinkedError extends NotFoundError {
  constructor() {
    super('This provider is not linked to your account');
  }
}

/** 400: without it nobody could sign in any more. */
export class LastWayInError extends BadRequestError {
  constructor() {
    super('This is your only way to sign in; set a password or link another provider first');
  }
}

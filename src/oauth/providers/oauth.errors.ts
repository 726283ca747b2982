import {
  badRequest,
  BadRequestError,
  CurtailError,
  notFound,
  unauthenticated,
} from '../../common/errors';

const DEPTH = 3;

/** Returns the part of an error that may be logged. The rest may contain tokens. */
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

export class UnknownProviderError extends notFound('This sign-in provider does not exist') {}

/** 400: the state is missing, unknown, used, expired, or from a different browser. */
export class StateRefusedError extends badRequest(
  'This sign-in has expired or was already used; start it again',
  'state',
) {}

/** 401: the session that started the link has ended. */
export class LinkEndedError extends unauthenticated(
  'The session that began this link has ended; sign in and start it again',
) {}

/** 400: the provider returned an error, or no code. */
export class SignInDeniedError extends BadRequestError {
  constructor(title: string, code: string | null) {
    const known = code !== null && /^[a-z_]{1,40}$/.test(code) ? ` (${code})` : '';
    super(`${title} did not complete the sign-in${known}`);
  }
}

/** 500: the code exchange or the profile request failed, or the provider is unreachable. */
export class ProviderFailedError extends CurtailError {
  constructor(title: string, cause: unknown) {
    super(500, 'internal_error', `${title} could not be reached; try again later`, {
      cause: new Error(`${title}: ${safeReason(cause)}`),
    });
  }
}

/** 400: the provider returns no usable email address. */
export class EmailMissingError extends BadRequestError {
  constructor(title: string) {
    super(`${title} did not share your email address; allow it and start again`, 'email');
  }
}

/** 409: the address has an account, and the provider has not verified the address. */
export class EmailUnprovenError extends CurtailError {
  constructor(title: string) {
    const way = 'Sign in as you usually do, then link it';
    super(409, 'conflict', `Your email has an account, but ${title} has not verified it. ${way}`, {
      field: 'email',
    });
  }
}

export class ProviderLinkedError extends CurtailError {
  constructor(title: string) {
    super(409, 'conflict', `Your account is already linked to ${title}`);
  }
}

/** 400: the identity's email differs from the account's email. */
export class EmailDiffersError extends BadRequestError {
  constructor(title: string) {
    super(`Your email at ${title} differs from the email on your account`, 'email');
  }
}

export class NotLinkedError extends notFound('This provider is not linked to your account') {}

export class LastWayInError extends badRequest(
  'This is your only way to sign in; set a password or link another provider first',
) {}

import { BadRequestError, CurtailError, ForbiddenError } from '../common/errors';

/** Why a destination is not acceptable (docs/contract.md#5.2). */
export type DestinationObjection = 'no scheme' | 'other scheme' | 'unreadable' | 'loop';

const OBJECTIONS: Readonly<Record<DestinationObjection, string>> = {
  'no scheme': 'must begin with http:// or https://',
  'other scheme': 'has another scheme than http or https',
  unreadable: 'is not a URL: its host, its port or one of its characters is not possible',
  loop: 'leads to this service itself',
};

/** 400: not an acceptable destination (docs/contract.md#5.2). */
export class DestinationError extends CurtailError {
  constructor(
    readonly objection: DestinationObjection,
    field = 'long_url',
  ) {
    super(400, 'validation_error', `${field} ${OBJECTIONS[objection]}`, { field });
  }
}

/**
 * 400: the destination is on the operator's list, or could not be held against all of it in time;
 * v0 answers it with 403.
 */
export class DestinationBlockedError extends CurtailError {
  constructor(verdict: 'blocked' | 'unfinished', field = 'long_url') {
    const message =
      verdict === 'blocked'
        ? 'This destination is not allowed here'
        : 'This destination could not be checked in time';
    super(400, 'validation_error', message, { field });
  }
}

/** 400: links cannot be put there. */
export class DomainUnusableError extends BadRequestError {
  constructor() {
    super('This is no active domain of yours', 'domain');
  }
}

/** 500: no free alias after all tries. */
export class AliasesExhaustedError extends CurtailError {
  constructor() {
    super(500, 'internal_error', 'No free alias was found, try again');
  }
}

/** 403: the operator lets nobody make links without an account (ANONYMOUS_LINKS). */
export class AnonymousLinksClosedError extends ForbiddenError {
  constructor() {
    super('Links are made with an account here: sign in, or use an API key');
  }
}

/** 403: those who run the service have closed the link (docs/contract.md#24.4). */
export class LinkBlockedError extends ForbiddenError {
  constructor() {
    super('This link is blocked by those who run this service');
  }
}

/** 403: the link is another account's, or nobody's. */
export class LinkNotYoursError extends ForbiddenError {
  constructor() {
    super('This link is not yours');
  }
}

import {
  badRequest,
  BadRequestError,
  CurtailError,
  forbidden,
  notFound,
} from '../../common/errors';

export type DestinationObjection = 'no scheme' | 'other scheme' | 'unreadable' | 'loop';

const OBJECTIONS: Readonly<Record<DestinationObjection, string>> = {
  'no scheme': 'must begin with http:// or https://',
  'other scheme': 'has a scheme other than http and https',
  unreadable: 'is not a valid URL: check its host, port and characters',
  loop: 'leads to this service itself',
};

export class DestinationError extends CurtailError {
  constructor(
    readonly objection: DestinationObjection,
    field = 'long_url',
  ) {
    super(400, 'validation_error', `${field} ${OBJECTIONS[objection]}`, { field });
  }
}

/** 400 (v0: 403): the destination is on a blocklist, or the check timed out. */
export class DestinationBlockedError extends CurtailError {
  constructor(
    readonly verdict: 'blocked' | 'unfinished',
    field = 'long_url',
  ) {
    const message =
      verdict === 'blocked'
        ? 'This destination is not allowed here'
        : 'This destination could not be checked in time';
    super(400, 'validation_error', message, { field });
  }
}

export class DomainUnusableError extends badRequest(
  'You cannot use this domain: it is unknown, not active or not yours',
  'domain',
) {}

/** 500: every generated alias was taken. */
export class AliasesExhaustedError extends CurtailError {
  constructor() {
    super(500, 'internal_error', 'No free alias was found; try again');
  }
}

/** 409: an import may still add clicks. */
export class UnfinishedImportError extends CurtailError {
  constructor() {
    super(409, 'conflict', 'Clicks cannot be deleted while an import is in progress', {
      hint: 'Wait until the import has finished, or cancel it.',
    });
  }
}

/** 403: ANONYMOUS_LINKS is off. */
export class AnonymousLinksClosedError extends forbidden(
  'You need an account to create links here: sign in, or use an API key',
) {}

/** 403: an admin or a blocklist has blocked the link (docs/contract.md#24.4). */
export class LinkBlockedError extends forbidden(
  'The operator of this service has blocked this link',
) {}

/** 403: the link is anonymous or belongs to another account. */
export class LinkNotYoursError extends forbidden('This link is not yours') {}

export class MisplacedTimeError extends BadRequestError {
  constructor(field: 'expire_after' | 'starts_at') {
    const rule = {
      expire_after: 'must be after starts_at',
      starts_at: 'must be before expire_after',
    };
    super(`${field} ${rule[field]}`, field);
  }
}

export class UnknownLinkDomainError extends notFound('You do not have a domain with that name') {}

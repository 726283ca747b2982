import {
  badRequest,
  BadRequestError,
  conflict,
  CurtailError,
  notFound,
  UnprocessableError,
} from '../common/errors';

/** Limit per account. Revoked domains do not count. */
export const MAX_DOMAINS = 20;
export const MAX_CASCADE = 1000;

const FQDN_FIELD = 'fqdn';

/** 404: the domain does not exist or belongs to another account. */
export class UnknownDomainError extends notFound('Domain not found') {}

/** 400: the name is invalid or belongs to this service. */
export class DomainNameError extends BadRequestError {
  constructor(objection: 'ours' | 'unreadable') {
    super(
      objection === 'ours'
        ? 'This name belongs to this service itself'
        : 'fqdn must be only a domain name, such as links.example.com, without scheme, port and path',
      FQDN_FIELD,
    );
  }
}

/** 400: the account has reached its domain limit. */
export class DomainCapError extends badRequest(
  `An account can have at most ${MAX_DOMAINS} domains; remove one first`,
) {}

export class DomainKnownError extends CurtailError {
  constructor(fqdn: string) {
    super(409, 'conflict', `${fqdn} is already one of your domains`, { field: FQDN_FIELD });
  }
}

/** 422: only active domains have settings. */
export class DomainNotActiveError extends UnprocessableError {
  constructor() {
    super([{ field: 'id', error: 'only an active domain can be changed: verify it first' }]);
  }
}

/** 409: a revoked domain must be added again before verification. */
export class DomainRevokedError extends conflict(
  'This domain was revoked; add it again to use it',
) {}

/** 422: only revoked domains can be deleted permanently. */
export class DomainNotRevokedError extends UnprocessableError {
  constructor() {
    super([{ field: 'id', error: 'only a revoked domain can be permanently removed' }]);
  }
}

export class DomainHasLinksError extends conflict(
  'There are links on this domain; move or delete them first',
) {}

/** 400: the domain cannot be shared with all accounts (docs/contract.md#36). */
export class SharingRefusedError extends BadRequestError {
  constructor(objection: string) {
    super(objection, 'shared');
  }
}

/** 409: sharing must end before the domain is removed. */
export class DomainSharedError extends CurtailError {
  constructor() {
    super(409, 'conflict', 'This domain is shared with all accounts', {
      hint: 'Stop sharing it first: PATCH the domain with {"shared": false}',
    });
  }
}

/** 409: other accounts have links on the domain. */
export class DomainHasOthersLinksError extends CurtailError {
  constructor(count: number) {
    const links = count === 1 ? '1 link' : `${count} links`;
    super(409, 'conflict', `Other accounts have ${links} on this domain`, {
      details: { found: count },
    });
  }
}

/** 409: the domain has blocked links, which its removal would unblock or delete. */
export class DomainHasBlockedLinksError extends CurtailError {
  constructor(blocked: number) {
    const links =
      blocked === 1 ? 'A link on this domain is' : `${blocked} links on this domain are`;
    super(409, 'conflict', `${links} blocked by the operator, so the domain cannot be removed`, {
      hint: 'GET /api/v1/urls?filter={"status":"BLOCKED"} lists them with the reasons; contact the operator of this service',
    });
  }
}

/** 409: the domain has more links than a call can delete. */
export class TooManyDomainLinksError extends CurtailError {
  constructor(fqdn: string) {
    super(409, 'conflict', `There are more than ${MAX_CASCADE} links on this domain`, {
      hint: `Delete them first with DELETE /api/v1/urls?domain=${fqdn}, and repeat until none is left`,
    });
  }
}

/** 400: the URL leads back to this service. */
export class OwnDomainTargetError extends BadRequestError {
  constructor(field: string) {
    super(`${field} leads to one of this service's domains`, field);
  }
}

/** 503: too many checks are queued. */
export class ChecksBusyError extends CurtailError {
  constructor() {
    super(503, 'internal_error', 'Too many domains are being checked; try again shortly', {
      headers: { 'Retry-After': '10' },
    });
  }
}

/** The custom domain that a request addresses (docs/contract.md#25.3). */
export interface RequestedDomain {
  readonly id: string;
  /** Redirect target for unknown codes and paths; null means an error page. */
  readonly notFoundRedirect: string | null;
}

const DOMAIN_MARK = Symbol('requested domain');

interface MarkedRequest {
  [DOMAIN_MARK]?: RequestedDomain;
}

/** Null for requests to BASE_URL's host. */
export function requestedDomain(request: object): RequestedDomain | null {
  return (request as MarkedRequest)[DOMAIN_MARK] ?? null;
}

export function markRequestedDomain(request: object, domain: RequestedDomain): void {
  (request as MarkedRequest)[DOMAIN_MARK] = domain;
}

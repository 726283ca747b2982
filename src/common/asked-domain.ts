/** The custom domain that a request addresses (docs/contract.md#25.3). */
export interface AskedDomain {
  readonly id: string;
  /** Redirect target for unknown codes and paths; null for an error page. */
  readonly notFoundRedirect: string | null;
}

const DOMAIN_MARK = Symbol('asked domain');

interface MarkedRequest {
  [DOMAIN_MARK]?: AskedDomain;
}

/** Null for requests to BASE_URL's host. */
export function askedDomain(request: object): AskedDomain | null {
  return (request as MarkedRequest)[DOMAIN_MARK] ?? null;
}

export function markAsked(request: object, domain: AskedDomain): void {
  (request as MarkedRequest)[DOMAIN_MARK] = domain;
}

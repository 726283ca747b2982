/** The custom domain that a request asks (docs/contract.md#25.3), as far as its answer depends on it. */
export interface AskedDomain {
  readonly id: string;
  /** Where codes and paths lead that there are not; null = an error page. */
  readonly notFoundRedirect: string | null;
}

const DOMAIN_MARK = Symbol('asked domain');

interface MarkedRequest {
  [DOMAIN_MARK]?: AskedDomain;
}

/** The custom domain of a request; null where that is for BASE_URL's host. */
export function askedDomain(request: object): AskedDomain | null {
  return (request as MarkedRequest)[DOMAIN_MARK] ?? null;
}

export function markAsked(request: object, domain: AskedDomain): void {
  (request as MarkedRequest)[DOMAIN_MARK] = domain;
}

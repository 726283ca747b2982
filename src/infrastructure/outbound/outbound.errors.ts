export type OutboundFailure = keyof typeof FAILURE_TEXTS;

const FAILURE_TEXTS = {
  unreadable: 'is not the address of a web server',
  scheme: 'must be an https address',
  credentials: 'must have no user name or password in its address',
  not_public: 'is not a public address',
  unknown_host: 'was not found',
  unreachable: 'cannot be reached',
  certificate: 'has no valid certificate',
  timeout: 'did not respond in time',
  redirect: 'returned a redirect, which is not followed',
  too_large: 'returned too much data',
  broken: 'closed the connection or did not respond with HTTP',
  cancelled: 'was not completely read',
} as const;

/** The message contains the requested host and the failure, but no IP address or response. */
export class OutboundError extends Error {
  constructor(
    readonly failure: OutboundFailure,
    readonly host: string,
    cause?: unknown,
  ) {
    super(`${host} ${FAILURE_TEXTS[failure]}`, { cause });
    this.name = 'OutboundError';
  }
}

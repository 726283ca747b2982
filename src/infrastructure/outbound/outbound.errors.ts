export type OutboundFailure = keyof typeof FAILURE_TEXTS;

const FAILURE_TEXTS = {
  unreadable: 'is no address of a web server',
  scheme: 'is asked over https alone',
  credentials: 'is asked without a user name or password in the address',
  not_public: 'is not a public address',
  unknown_host: 'was not found',
  unreachable: 'cannot be reached',
  certificate: 'has no valid certificate',
  timeout: 'took too long to answer',
  redirect: 'answered with a redirect, which is not followed',
  too_large: 'answered with too much',
  broken: 'broke off or did not answer in HTTP',
  cancelled: 'was not asked to the end',
} as const;

/** The message names only the given host and the failure, no resolved address or response. */
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

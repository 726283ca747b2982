/** All machine-readable codes (docs/contract.md#2). */
export type ErrorCode =
  | 'validation_error'
  | 'authentication_error'
  | 'password_required'
  | 'invalid_password'
  | 'forbidden'
  | 'email_not_verified'
  | 'blocked'
  | 'not_found'
  | 'method_not_allowed'
  | 'conflict'
  | 'gone'
  | 'payload_too_large'
  | 'rate_limit_exceeded'
  | 'internal_error'
  | 'not_configured';

interface ErrorExtras {
  /** Dotted name of the invalid input. */
  field?: string;
  details?: unknown;
  hint?: string;
  /** Response headers, e.g. `Retry-After`. */
  headers?: Record<string, string>;
  cause?: unknown;
}

export type LogLevelOfError = 'debug' | 'info' | 'warn' | 'error';

/** Modules throw subclasses. Only exception filters convert them to responses. */
export class CurtailError extends Error {
  readonly field?: string;
  readonly details?: unknown;
  readonly hint?: string;
  readonly headers: Record<string, string>;

  constructor(
    readonly status: number,
    readonly code: ErrorCode,
    message: string,
    extras: ErrorExtras = {},
  ) {
    super(message, { cause: extras.cause });
    this.name = new.target.name;
    this.field = extras.field;
    this.details = extras.details;
    this.hint = extras.hint;
    this.headers = extras.headers ?? {};
  }

  get logLevel(): LogLevelOfError {
    return this.status >= 500 ? 'error' : 'debug';
  }
}

/** 400: the input is well-formed but violates a rule. */
export class BadRequestError extends CurtailError {
  constructor(message: string, field?: string, details?: unknown) {
    super(400, 'validation_error', message, { field, details });
  }
}

/** A problem in a 422: the dotted field and its message. */
export interface FieldProblem {
  field: string;
  error: string;
}

/** 422: the input violates the schema. The body is described in docs/contract.md#2.1. */
export class UnprocessableError extends CurtailError {
  constructor(
    readonly problems: FieldProblem[],
    hint?: string,
  ) {
    const [first] = problems;
    const single = problems.length === 1 && first !== undefined;
    super(
      422,
      'validation_error',
      single
        ? `${first.field}: ${first.error}`
        : `Validation failed for: ${problems.map((p) => p.field).join(', ')}`,
      { ...(single ? { field: first.field } : { details: problems }), hint },
    );
  }

  static forField(field: string, error: string): UnprocessableError {
    return new UnprocessableError([{ field, error }]);
  }
}

const NO_CREDENTIAL = 'Sign in, or send an API key as Authorization: Bearer svc_…';

export class AuthenticationError extends CurtailError {
  constructor(message = NO_CREDENTIAL, extras?: Pick<ErrorExtras, 'field' | 'hint'>) {
    super(401, 'authentication_error', message, extras);
  }
}

export class ForbiddenError extends CurtailError {
  constructor(message = 'You are not allowed to do this') {
    super(403, 'forbidden', message);
  }
}

/** 404: the object does not exist or is hidden from the caller. */
export class NotFoundError extends CurtailError {
  constructor(message = 'Not found') {
    super(404, 'not_found', message);
  }
}

export class MethodNotAllowedError extends CurtailError {
  constructor(allow: string) {
    super(405, 'method_not_allowed', `Use ${allow} here`, { headers: { Allow: allow } });
  }
}

/** 503 with Retry-After. Logged only at debug, so that many such errors do not fill the log. */
export class BusyError extends CurtailError {
  constructor(message: string, retrySeconds: number, headers: Record<string, string> = {}) {
    super(503, 'internal_error', message, {
      headers: { 'Retry-After': String(retrySeconds), ...headers },
    });
  }

  override get logLevel(): LogLevelOfError {
    return 'debug';
  }
}

/** 503: data the request needs has not been loaded yet. */
export class StartingError extends BusyError {
  constructor() {
    super('The service is starting; try again in a second', 1);
  }
}

export class DatabaseUnavailableError extends CurtailError {
  constructor(cause?: unknown) {
    super(503, 'internal_error', 'The database is unreachable; try again shortly', { cause });
  }
}

export class BodyTooLargeError extends CurtailError {
  constructor(limit: number) {
    super(413, 'payload_too_large', `The body may have at most ${limit} bytes`);
  }
}

/** 415: the body is compressed. A few compressed bytes could expand to megabytes. */
export class CodedBodyError extends CurtailError {
  constructor() {
    super(
      415,
      'validation_error',
      'The body must not be compressed: send it without Content-Encoding',
      {
        headers: { 'Accept-Encoding': 'identity' },
      },
    );
  }
}

/** The path is a folder, link, pipe, socket or device instead of a file. */
export class IrregularFileError extends Error {
  constructor(
    readonly path: string,
    cause?: unknown,
  ) {
    super(`${path} is not a regular file`, { cause });
    this.name = 'IrregularFileError';
  }
}

/** 507: too little disk space for uploaded or exported files. */
export class DiskReserveError extends CurtailError {
  constructor() {
    super(507, 'internal_error', "The service's disk is nearly full; try again later");
  }
}

function fixed<Args extends unknown[]>(
  Base: new (...args: Args) => CurtailError,
  ...args: Args
): new () => CurtailError {
  return class extends Base {
    constructor() {
      super(...args);
    }
  };
}

// Each function returns a base class for errors whose constructor takes no arguments.
export const badRequest = (message: string, field?: string) =>
  fixed(BadRequestError, message, field);
export const conflict = (message: string, extras?: ErrorExtras) =>
  fixed(CurtailError, 409, 'conflict', message, extras);
export const forbidden = (message: string) => fixed(ForbiddenError, message);
export const notFound = (message: string) => fixed(NotFoundError, message);
export const unauthenticated = (...args: ConstructorParameters<typeof AuthenticationError>) =>
  fixed(AuthenticationError, ...args);

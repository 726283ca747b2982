import type { ErrorCode } from '../errors';

export interface ErrorAnswer {
  readonly status: number;
  readonly codes: readonly ErrorCode[];
}

interface ErrorKind {
  readonly name: string;
  readonly codes: readonly ErrorCode[];
  readonly meaning: string;
}

export const ERROR_KINDS: Readonly<Record<number, ErrorKind>> = {
  400: {
    name: 'BadRequestError',
    codes: ['validation_error'],
    meaning: 'The request violates a rule or is not valid HTTP',
  },
  401: {
    name: 'AuthenticationError',
    codes: ['authentication_error'],
    meaning: 'The credential is missing or invalid',
  },
  403: {
    name: 'ForbiddenOrUnverifiedError',
    codes: ['forbidden', 'email_not_verified'],
    meaning: 'The caller is not allowed to do this, or must verify the email address first',
  },
  404: {
    name: 'NotFoundError',
    codes: ['not_found'],
    meaning: 'Unknown or hidden from the caller',
  },
  409: {
    name: 'ConflictError',
    codes: ['conflict'],
    meaning: 'Already taken, or changed since the caller read it',
  },
  410: {
    name: 'GoneError',
    codes: ['gone'],
    meaning: 'The link is inactive, expired, used up or blocked',
  },
  413: {
    name: 'PayloadTooLargeError',
    codes: ['payload_too_large'],
    meaning: 'The body exceeds 1048576 bytes',
  },
  415: {
    name: 'CodedBodyError',
    codes: ['validation_error'],
    meaning: 'The body is compressed; `Accept-Encoding` lists the supported encodings',
  },
  422: {
    name: 'ValidationError',
    codes: ['validation_error'],
    meaning: 'A value is missing or has the wrong type, length or format',
  },
  429: {
    name: 'RateLimitError',
    codes: ['rate_limit_exceeded'],
    meaning: 'Too many requests; `Retry-After` is the number of seconds to wait',
  },
  500: { name: 'InternalError', codes: ['internal_error'], meaning: 'An unexpected failure' },
  503: {
    name: 'UnavailableError',
    codes: ['internal_error', 'not_configured'],
    meaning: 'The database is unreachable, or the feature is not configured',
  },
  507: {
    name: 'DiskReserveError',
    codes: ['internal_error'],
    meaning: "The service's disk is nearly full",
  },
};

export const PASSWORD_CODES = ['password_required', 'invalid_password'] as const;

const FIELD_PROBLEMS = {
  type: 'array',
  description: 'All problems, if there are several',
  items: {
    type: 'object',
    required: ['field', 'error'],
    properties: {
      field: { type: 'string', description: 'Dotted name, such as `scopes.0`' },
      error: { type: 'string' },
    },
  },
};

const MISSING_REQUIREMENTS = {
  type: 'object',
  description: 'Requirements that the password does not meet',
  required: ['missing_requirements'],
  properties: { missing_requirements: { type: 'array', items: { type: 'string' } } },
};

const FOUND = {
  type: 'object',
  description: 'Number of links that match the filter',
  required: ['found'],
  properties: { found: { type: 'integer', minimum: 0 } },
};

/** Columns in a file that the user has to assign to fields (docs/contract.md#22.7). */
const COLUMNS_SCHEMA = {
  type: 'object',
  required: ['columns'],
  additionalProperties: false,
  properties: {
    columns: {
      type: 'array',
      items: {
        type: 'object',
        required: ['name', 'examples'],
        properties: {
          name: { type: 'string' },
          examples: { type: 'array', maxItems: 3, items: { type: 'string' } },
        },
      },
    },
  },
};

const DETAILS: Readonly<Record<number, object>> = {
  400: { oneOf: [MISSING_REQUIREMENTS, FOUND, COLUMNS_SCHEMA] },
  409: FOUND,
  422: FIELD_PROBLEMS,
};

export function errorSchema(status: number, codes: readonly ErrorCode[]): object {
  const details = DETAILS[status];
  return {
    type: 'object',
    required: ['error', 'code'],
    properties: {
      error: {
        type: 'string',
        description: 'For people; the wording may change',
        example: ERROR_KINDS[status]?.meaning ?? '',
      },
      code: { type: 'string', enum: [...codes], description: 'For programs' },
      field: { type: 'string', description: 'The dotted name of the invalid input' },
      ...(details === undefined ? {} : { details }),
      hint: { type: 'string', description: 'How the caller can fix the problem' },
    },
  };
}

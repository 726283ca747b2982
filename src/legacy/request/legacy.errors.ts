import { applyDecorators } from '@nestjs/common';
import { ApiResponse, type ApiResponseOptions } from '@nestjs/swagger';
import { badRequest, CurtailError, type ErrorCode } from '../../common/errors';
import { errorSchema } from '../../common/openapi/error-answers';

type LegacyKey =
  | 'UrlError'
  | 'BlockedUrlError'
  | 'AliasError'
  | 'PasswordError'
  | 'MaxClicksError'
  | 'ExpiresInError'
  | 'EmojiError'
  | 'FormatError';

type LegacyForm =
  | {
      readonly kind: 'shorten';
      readonly field: 'url' | 'alias' | 'password' | 'max-clicks' | 'expires-in';
    }
  | { readonly kind: 'link-password'; readonly wrong: boolean };

interface LegacyErrorExtras {
  readonly code?: ErrorCode;
  readonly form?: LegacyForm;
  /** Additional members of the JSON body. */
  readonly data?: Record<string, string>;
  /** Whether the response is JSON regardless of the Accept header. */
  readonly alwaysJson?: boolean;
}

/** `{"<Key>": "<text>"}` for JSON clients, a page with the same status otherwise. */
export class LegacyError extends CurtailError {
  readonly form: LegacyForm | null;
  readonly data: Record<string, string>;
  readonly alwaysJson: boolean;
  /** Other problems in the form, which the page shows together with this one. */
  others: readonly LegacyError[] = [];

  constructor(
    status: number,
    readonly legacyKey: LegacyKey,
    message: string,
    { code, form, data, alwaysJson }: LegacyErrorExtras = {},
  ) {
    super(status, code ?? 'validation_error', message);
    this.form = form ?? null;
    this.data = data ?? {};
    this.alwaysJson = alwaysJson ?? false;
  }
}

const MEANINGS: Readonly<Record<number, string>> = {
  400: 'The request violates a rule; the key in the body names the rule',
  401: 'The browser’s session has ended',
  403: "The destination is on one of the operator's blocklists, or creating links requires an account",
  404: 'Unknown code, or private statistics',
};

type SchemaObject = NonNullable<Extract<ApiResponseOptions, { schema: unknown }>['schema']>;

type KeysByStatus = Readonly<Record<number, readonly LegacyKey[]>>;

type FailureForms = 'json' | 'page' | 'both';

/** Adds a v0 route's errors to the API description: `{"<Key>": "<text>"}` or a page. */
export function LegacyFailures(keys: KeysByStatus, forms: FailureForms = 'both'): MethodDecorator {
  return applyDecorators(
    ...Object.entries(keys).map(([status, known]) =>
      ApiResponse({
        status: Number(status),
        description: MEANINGS[Number(status)],
        content: {
          // The service rejects invalid HTTP before it knows the requested format.
          ...(forms === 'page' && Number(status) !== 400
            ? {}
            : { 'application/json': { schema: bodySchema(Number(status), known) } }),
          ...(forms === 'json' ? {} : { 'text/html': { schema: { type: 'string' } } }),
        },
      }),
    ),
  );
}

/** An unreadable form gets a standard error body. */
function bodySchema(status: number, keys: readonly LegacyKey[]): SchemaObject {
  const text = { type: 'string' as const };
  const keyed: SchemaObject = {
    type: 'object',
    additionalProperties: false,
    minProperties: 1,
    example: { [keys[0] ?? 'UrlError']: MEANINGS[status] },
    properties: {
      ...Object.fromEntries(keys.map((key) => [key, text])),
      ...(keys.includes('AliasError')
        ? { alias: { ...text, description: 'The alias, as received' } }
        : {}),
    },
  };
  return status === 400 ? { anyOf: [keyed, errorSchema(400, ['validation_error'])] } : keyed;
}

/** 422 for an invalid parameter, 400 for an invalid date range. Shown on the page. */
export class PageQueryError extends CurtailError {
  constructor(status: 400 | 422, field: string, message: string) {
    super(status, 'validation_error', message, { field });
  }
}

export class ShortCodeMissingError extends badRequest(
  'A short link or its code is missing',
  'short_code',
) {}

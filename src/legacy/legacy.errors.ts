import { applyDecorators } from '@nestjs/common';
import { ApiResponse, type ApiResponseOptions } from '@nestjs/swagger';
import { CurtailError, type ErrorCode } from '../common/errors';
import { errorSchema } from '../common/openapi/error-answers';

/** The error keys of v0 bodies (docs/contract.md#13). */
type LegacyKey =
  | 'UrlError'
  | 'BlockedUrlError'
  | 'AliasError'
  | 'PasswordError'
  | 'MaxClicksError'
  | 'ExpiresInError'
  | 'EmojiError'
  | 'FormatError';

/** The form that people get to try again, where a refusal is more than its message. */
type LegacyForm =
  /** The shortening form with what was typed; `field` is the input at fault. */
  | {
      readonly kind: 'shorten';
      readonly field: 'url' | 'alias' | 'password' | 'max-clicks' | 'expires-in';
    }
  /** The form that asks for the password of a link. */
  | { readonly kind: 'link-password'; readonly wrong: boolean };

interface LegacyErrorExtras {
  readonly code?: ErrorCode;
  readonly form?: LegacyForm;
  /** Members of the JSON body beside the error key. */
  readonly data?: Record<string, string>;
  /** JSON for every caller, whatever it accepts. */
  readonly alwaysJson?: boolean;
}

/** A v0 refusal: `{"<Key>": "<text>"}` for JSON callers, a page of the same status for others. */
export class LegacyError extends CurtailError {
  readonly form: LegacyForm | null;
  readonly data: Record<string, string>;
  readonly alwaysJson: boolean;
  /** Further problems of the same form: people see all of them at once. */
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
  400: 'Against a rule; the member says which',
  401: 'The session of the browser has ended',
  403: 'The destination is on the list of the operator, or links need an account here',
  404: 'Unknown code, or private statistics',
};

/** A schema, as far as @nestjs/swagger takes one. */
type SchemaObject = NonNullable<Extract<ApiResponseOptions, { schema: unknown }>['schema']>;

type KeysByStatus = Readonly<Record<number, readonly LegacyKey[]>>;

/** Whether a refusal has a body for programs, a page for people, or either. */
type FailureForms = 'json' | 'page' | 'both';

/**
 * Declares a v0 route's own refusals for the API description: `{"<Key>": "<text>"}` or a page.
 * Errors that any route may give are described by themselves.
 */
export function LegacyFailures(keys: KeysByStatus, forms: FailureForms = 'both'): MethodDecorator {
  return applyDecorators(
    ...Object.entries(keys).map(([status, known]) =>
      ApiResponse({
        status: Number(status),
        description: MEANINGS[Number(status)],
        content: {
          // Bytes that are no HTTP are answered before anybody knows which form is asked for.
          ...(forms === 'page' && Number(status) !== 400
            ? {}
            : { 'application/json': { schema: bodySchema(Number(status), known) } }),
          ...(forms === 'json' ? {} : { 'text/html': { schema: { type: 'string' } } }),
        },
      }),
    ),
  );
}

/** A form that cannot be read is refused in the words of all other errors. */
function bodySchema(status: number, keys: readonly LegacyKey[]): SchemaObject {
  const text = { type: 'string' as const };
  const keyed: SchemaObject = {
    type: 'object',
    additionalProperties: false,
    minProperties: 1,
    properties: {
      ...Object.fromEntries(keys.map((key) => [key, text])),
      ...(keys.includes('AliasError') ? { alias: { ...text, description: 'As it was read' } } : {}),
    },
  };
  return status === 400 ? { anyOf: [keyed, errorSchema(400, ['validation_error'])] } : keyed;
}

import { applyDecorators } from '@nestjs/common';
import { ApiResponse } from '@nestjs/swagger';
import { CurtailError, type ErrorCode } from '../common/errors';

/** The error keys of v0 bodies (docs/contract.md#13). */
export type LegacyKey =
  | 'UrlError'
  | 'BlockedUrlError'
  | 'AliasError'
  | 'PasswordError'
  | 'MaxClicksError'
  | 'ExpiresInError'
  | 'EmojiError'
  | 'FormatError';

/** What people get to see of a refusal, where it is more than its message: a form to try again. */
export type LegacyForm =
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

const MEANINGS: Record<number, string> = {
  400: 'Against a rule: `{"<Key>": "<text>"}`, or a page',
  403: 'Destination on the list of the operator: `{"<Key>": "<text>"}`, or a page',
  404: 'Unknown code or private statistics: `{"UrlError": "<text>"}`, or a page',
  413: 'Body over 1048576 bytes',
  429: 'Limit passed',
  503: 'Too much is asked for at once, or the database is unreachable',
};

/** Declares a v0 route's error answers for the API description; their bodies are keyed by error. */
export function LegacyFailures(...statuses: number[]): MethodDecorator {
  return applyDecorators(
    ...statuses.map((status) => ApiResponse({ status, description: MEANINGS[status] })),
  );
}

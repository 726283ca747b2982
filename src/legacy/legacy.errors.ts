import type { IncomingMessage } from 'node:http';
import { applyDecorators } from '@nestjs/common';
import { ApiResponse } from '@nestjs/swagger';
import { CurtailError, type ErrorCode } from '../common/errors';
import { errorPage, type ErrorRendering, type SelfRendering } from '../common/http/error-response';
import { wantsLegacyJson } from './legacy-input';

/** The error keys of v0 bodies (docs/contract.md#13). */
export type LegacyKey =
  | 'UrlError'
  | 'BlockedUrlError'
  | 'AliasError'
  | 'PasswordError'
  | 'MaxClicksError'
  | 'EmojiError'
  | 'FormatError';

/** A v0 refusal: `{"<Key>": "<text>"}` for JSON callers, a page of the same status for others. */
export class LegacyError extends CurtailError implements SelfRendering {
  constructor(
    status: number,
    readonly key: LegacyKey,
    message: string,
    code: ErrorCode = 'validation_error',
  ) {
    super(status, code, message);
  }

  render(request: IncomingMessage): ErrorRendering {
    return this.answersJson(request)
      ? { contentType: 'application/json; charset=utf-8', body: JSON.stringify(this.body()) }
      : { contentType: 'text/html; charset=utf-8', body: this.page(request) };
  }

  protected answersJson(request: IncomingMessage): boolean {
    return wantsLegacyJson(request);
  }

  protected body(): Record<string, string> {
    return { [this.key]: this.message };
  }

  /** The page for people; refusals of a form show the form again, from the request. */
  protected page(request: IncomingMessage): string;
  protected page(): string {
    return errorPage(this);
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

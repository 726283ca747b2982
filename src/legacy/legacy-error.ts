import type { IncomingMessage } from 'node:http';
import { CurtailError, type ErrorCode } from '../core/errors';
import type { ErrorRendering, SelfRendering } from '../http/error-answer';
import { errorPage } from '../http/error-page';
import { wantsLegacyJson } from './legacy-form';

/** The error keys of v0 bodies (contract 13). */
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

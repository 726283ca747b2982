import type { IncomingMessage, ServerResponse } from 'node:http';
import { CurtailError, DatabaseUnavailableError } from '../core/errors';
import { isDatabaseUnreachable } from '../core/database-fault';
import { wantsJson } from './error-form';
import { errorPage } from './error-page';
import { PAGE_POLICY } from './page';
import { fromFramework } from './framework-errors';

/** Any thrown value as one of our errors; what we do not know is a 500 that says nothing. */
export function toCurtailError(error: unknown): CurtailError {
  if (error instanceof CurtailError) return error;
  if (isDatabaseUnreachable(error)) return new DatabaseUnavailableError(error);
  return (
    fromFramework(error) ??
    new CurtailError(500, 'internal_error', 'Something went wrong on our side', { cause: error })
  );
}

/** The JSON body of an error (contract 2 and 2.1). */
export function errorBody(error: CurtailError): Record<string, unknown> {
  return {
    error: error.message,
    code: error.code,
    ...(error.field === undefined ? {} : { field: error.field }),
    ...(error.details === undefined ? {} : { details: error.details }),
    ...(error.hint === undefined ? {} : { hint: error.hint }),
  };
}

/** A room's own body for an error: v0's error keys, the password form. */
export interface ErrorRendering {
  readonly contentType: string;
  readonly body: string;
}

/** An error that knows its own form, whatever the path says (contract 13, 8.1). */
export interface SelfRendering {
  render(request: IncomingMessage): ErrorRendering | null;
}

function isSelfRendering(error: unknown): error is SelfRendering {
  return error instanceof Error && 'render' in error && typeof error.render === 'function';
}

/**
 * Writes an error answer: status, X-Error-Code, body as JSON or page. The only place that knows
 * error bodies; the exception filter and the redirect both end here.
 */
export function sendError(
  request: IncomingMessage,
  response: ServerResponse,
  error: CurtailError,
): void {
  if (response.headersSent) {
    response.destroy();
    return;
  }
  const { contentType, body } =
    (isSelfRendering(error) ? error.render(request) : null) ?? standardForm(request, error);
  response.statusCode = error.status;
  for (const name of ['Content-Disposition', 'Content-Encoding', 'ETag', 'Transfer-Encoding']) {
    response.removeHeader(name);
  }
  for (const [name, value] of Object.entries(error.headers)) response.setHeader(name, value);
  response.setHeader('X-Error-Code', error.code);
  response.setHeader('Content-Type', contentType);
  if (contentType.startsWith('text/html')) {
    response.setHeader('Content-Security-Policy', PAGE_POLICY);
  }
  response.setHeader('Content-Length', Buffer.byteLength(body));
  response.end(request.method === 'HEAD' ? undefined : body);
}

function standardForm(request: IncomingMessage, error: CurtailError): ErrorRendering {
  return wantsJson(request)
    ? { contentType: 'application/json; charset=utf-8', body: JSON.stringify(errorBody(error)) }
    : { contentType: 'text/html; charset=utf-8', body: errorPage(error) };
}

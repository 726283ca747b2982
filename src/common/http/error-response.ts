import type { IncomingMessage, ServerResponse } from 'node:http';
import { HttpException } from '@nestjs/common';
import { isDatabaseUnreachable } from '../database-fault';
import {
  BadRequestError,
  CurtailError,
  DatabaseUnavailableError,
  ForbiddenError,
  NotFoundError,
} from '../errors';
import { notFoundLocation } from '../own-host';
import { requestedDomain } from '../requested-domain';
import { errorsUnder, isFixedSegment } from '../routes';
import { site } from '../site';
import { html, page, PAGE_POLICY, pageRoot, reportLink, wayHome } from './page';

/** Converts errors from Nest and Express. Returns null for other errors. */
function fromFramework(error: unknown): CurtailError | null {
  if (!(error instanceof Error)) return null;
  const status = errorStatus(error);
  if (status === null || status >= 500) return null;
  if (status === 404) return new NotFoundError();
  if (status === 403) return new ForbiddenError();
  // Express rejects paths that are not percent-encoded UTF-8.
  if (error instanceof URIError)
    return new BadRequestError('The path is not valid percent-encoded UTF-8');
  return new BadRequestError('The request could not be read');
}

function errorStatus(error: Error): number | null {
  if (error instanceof HttpException) return error.getStatus();
  const status = 'status' in error ? error.status : undefined;
  return typeof status === 'number' ? status : null;
}

/** Whether an error is sent as JSON or as a page (docs/contract.md#2.2). */
export function wantsJson(request: IncomingMessage & { originalUrl?: string }): boolean {
  const url = request.originalUrl ?? request.url ?? '/';
  const errors = errorsUnder(url);
  if (errors === 'json') return true;
  const accept = request.headers.accept ?? '';
  if (errors === 'v0') return !accept.includes('text/html');
  return (
    accept.includes('application/json') ||
    (request.headers['content-type'] ?? '').toLowerCase().startsWith('application/json')
  );
}

export function mayFailAsPage(path: string): boolean {
  return errorsUnder(path) !== 'json';
}

const HEADLINES: Record<number, string> = {
  400: 'That did not work',
  401: 'Password required',
  403: 'Not allowed',
  404: 'Nothing here',
  405: 'Not possible here',
  410: 'This link is closed',
  413: 'Too large',
  415: 'That did not work',
  422: 'Something is missing',
  429: 'Too many requests',
  500: 'Something went wrong',
  503: 'Not available right now',
  507: 'Not available right now',
};

/** Replaces messages for programs, and adds advice for people. */
const ADVICE: Record<number, { readonly instead?: string; readonly advice?: string }> = {
  404: {
    advice: 'Check the address: it may be incomplete or mistyped. Upper and lower case differ.',
  },
  405: { instead: 'This address does not support this request.' },
  410: {
    instead: 'The link has expired, has reached its click limit, or was paused or blocked.',
    advice: 'Look for a newer link where you found this one.',
  },
  413: { instead: 'The request is too large for this page.' },
  422: { instead: 'A required value is missing or invalid.' },
  500: {
    instead: 'The service could not handle this request.',
    advice: 'Try again in a moment.',
  },
  503: { instead: 'This part of the service is too busy or is restarting.' },
};

interface ErrorOccasion {
  /**
   * The requested short URL in the client's spelling, without the query; undefined for other paths.
   */
  readonly address?: string;
  readonly requestId?: string;
  readonly root?: string;
  /** Replaces the usual advice for the status and the link to the report form. */
  readonly advice?: string;
}

/** HTML error response (docs/contract.md#2.2). Omits hints, which are for programs. */
export function errorPage(
  error: CurtailError,
  { address, requestId, root = '', advice: given }: ErrorOccasion = {},
): string {
  const { status, code } = error;
  const isSignIn = code === 'authentication_error';
  const headline = isSignIn ? 'Sign in first' : (HEADLINES[status] ?? 'Something went wrong');
  const { instead, advice = given } = given === undefined ? (ADVICE[status] ?? {}) : {};
  const { 'Retry-After': wait } = error.headers;
  return page(
    headline,
    html`<section class="card error">
      <p class="status">${status}</p>
      <h1>${headline}</h1>
      <p>
        ${isSignIn ? 'You need an account to open this page.' : (instead ?? withFullStop(error))}
      </p>
      ${advice !== undefined && html`<p class="hint">${advice}</p>`}
      ${
        status === 503 &&
        html`<p class="hint">Try again in ${wait === undefined ? 'a minute' : inSeconds(wait)}.</p>`
      }
      ${
        status >= 500 &&
        requestId !== undefined &&
        html`<p class="hint">If this continues, send this ID to the operator: ${requestId}</p>`
      }
      <p>${isSignIn ? html`<a class="button" href="/login">Sign in</a>` : wayHome(root)}</p>
      ${given === undefined && (status === 404 || status === 410) && html`<p class="hint">${reportLink(address, root)}</p>`}
    </section>`,
    { root },
  );
}

function inSeconds(count: string): string {
  return `${count} ${count === '1' ? 'second' : 'seconds'}`;
}

function withFullStop({ message }: CurtailError): string {
  return /[.!?]$/.test(message) ? message : `${message}.`;
}

/** Unknown errors become a 500 without details. */
export function toCurtailError(error: unknown): CurtailError {
  if (error instanceof CurtailError) return error;
  if (isDatabaseUnreachable(error)) return new DatabaseUnavailableError(error);
  return (
    fromFramework(error) ??
    new CurtailError(500, 'internal_error', 'Something went wrong on our side', { cause: error })
  );
}

export function errorBody(error: CurtailError): Record<string, unknown> {
  return {
    error: error.message,
    code: error.code,
    ...(error.field === undefined ? {} : { field: error.field }),
    ...(error.details === undefined ? {} : { details: error.details }),
    ...(error.hint === undefined ? {} : { hint: error.hint }),
  };
}

export interface ErrorForm {
  readonly contentType: string;
  readonly body: string;
  /** Content security policy, if different from the default for pages. */
  readonly policy?: string;
  /** The status in another API, if different from the error's. */
  readonly status?: number;
}

export function jsonForm(body: object): ErrorForm {
  return { contentType: 'application/json; charset=utf-8', body: JSON.stringify(body) };
}

export function pageForm(markup: string, policy?: string): ErrorForm {
  return { contentType: 'text/html; charset=utf-8', body: markup, policy };
}

export function errorForm(
  request: IncomingMessage & { originalUrl?: string; res?: ServerResponse },
  error: CurtailError,
  response = request.res,
): ErrorForm {
  if (wantsJson(request)) return jsonForm(errorBody(error));
  const requestId = response?.getHeader('X-Request-ID')?.toString();
  const address = requestedAddress(request);
  return pageForm(errorPage(error, { address, requestId, root: pageRoot(request) }));
}

/** Returns the requested short URL on any host; undefined for other paths. */
function requestedAddress(request: IncomingMessage & { originalUrl?: string }): string | undefined {
  const { baseUrl } = site();
  const [path = ''] = (request.originalUrl ?? request.url ?? '').split('?');
  if (requestedDomain(request) !== null) {
    return `${new URL(baseUrl).protocol}//${request.headers.host ?? ''}${path}`;
  }
  return isFixedSegment(path.split('/')[1]?.toLowerCase() ?? '') ? undefined : baseUrl + path;
}

/** Sends JSON or HTML with X-Error-Code; used by all exception filters and the redirect. */
export function sendError(
  request: IncomingMessage,
  response: ServerResponse,
  error: CurtailError,
  { contentType, body, policy = PAGE_POLICY, status = error.status } = errorForm(
    request,
    error,
    response,
  ),
): void {
  if (response.headersSent) {
    response.destroy();
    return;
  }
  if (leadsElsewhere(request, response, error)) return;
  response.statusCode = status;
  for (const name of ['Content-Disposition', 'Content-Encoding', 'ETag', 'Transfer-Encoding']) {
    response.removeHeader(name);
  }
  for (const [name, value] of Object.entries(error.headers)) response.setHeader(name, value);
  response.setHeader('X-Error-Code', error.code);
  response.setHeader('Content-Type', contentType);
  if (contentType.startsWith('text/html')) {
    response.setHeader('Content-Security-Policy', policy);
  }
  response.setHeader('Content-Length', Buffer.byteLength(body));
  response.end(request.method === 'HEAD' ? undefined : body);
}

/** Redirects unknown paths according to the settings of the host (25.3, 34.3). */
function leadsElsewhere(
  request: IncomingMessage & { originalUrl?: string },
  response: ServerResponse,
  { status }: CurtailError,
): boolean {
  if (status !== 404 || (request.method !== 'GET' && request.method !== 'HEAD')) return false;
  const domain = requestedDomain(request);
  const to = domain === null ? ownNotFoundLocation(request) : domain.notFoundRedirect;
  if (to === null) return false;
  sendOwnRedirect(response, domain === null ? to : new URL(to).href);
  return true;
}

function ownNotFoundLocation(request: IncomingMessage & { originalUrl?: string }): string | null {
  if (site().notFoundRedirect === null || wantsJson(request)) return null;
  return notFoundLocation(request, request.originalUrl ?? request.url ?? '/');
}

/** Redirects from `/` or an unknown path. This counts no click. */
export function sendOwnRedirect(response: ServerResponse, location: string): void {
  response.writeHead(302, {
    Location: location,
    'Cache-Control': 'no-store',
    'X-Robots-Tag': 'noindex, nofollow',
    'Content-Length': 0,
  });
  response.end();
}

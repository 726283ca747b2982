import type { NextFunction, Request, RequestHandler, Response } from 'express';
import { HttpOptions } from '../../config/options';

const OPEN = /^\/(?:api\/v1\/|(?:stats|export)(?:\/|$)|emoji\/?$|metric\/?$|$)/;
const CREDENTIALED = /^\/(?:auth|oauth)\//;
const EXPOSED =
  'X-Request-ID, X-Error-Code, X-Svc-Hint, X-RateLimit-Limit, X-RateLimit-Remaining, X-RateLimit-Reset, Retry-After, Content-Disposition';
const METHODS = 'GET, POST, PUT, PATCH, DELETE, OPTIONS';

/** Cross-origin rules of docs/contract.md#1.2; answers preflights itself. */
export function cors(http: HttpOptions): RequestHandler {
  return (request: Request, response: Response, next: NextFunction) => {
    const { origin } = request.headers;
    const allowed = allow(request.path, origin, http.corsOrigins, response);
    if (allowed) response.setHeader('Access-Control-Expose-Headers', EXPOSED);
    const asked = request.headers['access-control-request-method'];
    if (request.method !== 'OPTIONS' || origin === undefined || asked === undefined) {
      next();
      return;
    }
    if (allowed) preflight(request, response);
    response.status(204).end();
  };
}

function allow(
  path: string,
  origin: string | undefined,
  origins: readonly string[],
  response: Response,
): boolean {
  if (OPEN.test(path)) {
    response.setHeader('Access-Control-Allow-Origin', '*');
    return true;
  }
  if (!CREDENTIALED.test(path)) return false;
  response.vary('Origin');
  if (origin === undefined || !origins.includes(origin)) return false;
  response.setHeader('Access-Control-Allow-Origin', origin);
  response.setHeader('Access-Control-Allow-Credentials', 'true');
  return true;
}

function preflight(request: Request, response: Response): void {
  response.setHeader('Access-Control-Allow-Methods', METHODS);
  const headers = request.headers['access-control-request-headers'];
  if (headers !== undefined) {
    response.setHeader('Access-Control-Allow-Headers', headers);
    response.vary('Access-Control-Request-Headers');
  }
  response.setHeader('Access-Control-Max-Age', '86400');
}

import corsOf, { type CorsOptions } from 'cors';
import type { NextFunction, Request, RequestHandler, Response } from 'express';
import { HttpOptions } from '../../config/options';
import { originsUnder } from '../routes';

const COMMON_OPTIONS: CorsOptions = {
  methods: 'GET, POST, PUT, PATCH, DELETE, OPTIONS',
  exposedHeaders:
    'X-Request-ID, X-Error-Code, X-Svc-Hint, X-RateLimit-Limit, X-RateLimit-Remaining, X-RateLimit-Reset, Retry-After, Idempotent-Replayed, Content-Disposition',
  maxAge: 86_400,
  // `answerPreflight` handles preflight requests, even those from disallowed origins.
  preflightContinue: true,
};
const ANY_ORIGIN: CorsOptions = { ...COMMON_OPTIONS, origin: '*' };
const NO_ORIGIN: CorsOptions = { origin: false };

export function cors({ corsOrigins }: HttpOptions): RequestHandler[] {
  const listed: CorsOptions = { ...COMMON_OPTIONS, origin: [...corsOrigins], credentials: true };
  const decideOptions = (request: Request): CorsOptions => {
    const origins = originsUnder(request.path);
    if (origins === 'any') return ANY_ORIGIN;
    const { origin } = request.headers;
    const isListed = origin !== undefined && corsOrigins.includes(origin);
    return isListed && origins === 'listed' ? listed : NO_ORIGIN;
  };
  return [
    varyByOrigin,
    corsOf<Request>((request, done) => done(null, decideOptions(request))),
    answerPreflight,
  ];
}

/** Responses to disallowed origins need `Vary: Origin`, too. */
function varyByOrigin(request: Request, response: Response, next: NextFunction): void {
  if (originsUnder(request.path) === 'listed') response.vary('Origin');
  next();
}

function answerPreflight({ method, headers }: Request, response: Response, next: NextFunction) {
  const isPreflight = headers.origin && headers['access-control-request-method'];
  if (method === 'OPTIONS' && isPreflight) response.status(204).end();
  else next();
}

import { constants } from 'node:zlib';
import compressionOf from 'compression';
import type { Request, RequestHandler, Response } from 'express';

/**
 * Never tokens, keys, sessions, accounts or pages with forms: next to text chosen by an
 * attacker, the compressed size leaks a secret (BREACH, docs/security.md#compression).
 */
const ROUTES = /^\/(?:api\/v1\/(?:urls|stats|overview|public\/stats)(?:\/.*)?|openapi\.json\/?)$/i;
/** Below this, headers and framing dominate. */
const MIN_BYTES = 1024;

const compress = compressionOf({
  threshold: MIN_BYTES,
  filter: isJson,
  level: 5,
  brotli: {
    params: {
      [constants.BROTLI_PARAM_QUALITY]: 4,
      [constants.BROTLI_PARAM_MODE]: constants.BROTLI_MODE_TEXT,
      // The window is allocated before the size is known: 256 KB instead of 4 MB.
      [constants.BROTLI_PARAM_LGWIN]: 18,
    },
  },
});

export const compression: RequestHandler = (request, response, next) => {
  if (request.method === 'GET' && ROUTES.test(request.path)) compress(request, response, next);
  else next();
};

/** Errors are small, and no user waits for streamed downloads. */
function isJson(_: Request, response: Response): boolean {
  const type = String(response.getHeader('Content-Type') ?? '');
  const isFile = response.hasHeader('Content-Disposition');
  return response.statusCode === 200 && type.startsWith('application/json') && !isFile;
}

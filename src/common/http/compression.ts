import { constants } from 'node:zlib';
import compressionOf from 'compression';
import type { Request, RequestHandler, Response } from 'express';

/**
 * Lists and figures, and the API document. Nothing else: where a secret stands beside text that
 * somebody else has chosen, the size of the compressed answer tells of the secret (BREACH). Tokens,
 * keys, sessions, codes, accounts and pages with forms are none of these routes
 * (docs/security.md#compression).
 */
const ROUTES = /^\/(?:api\/v1\/(?:urls|stats|overview|public\/stats)(?:\/.*)?|openapi\.json\/?)$/i;
/** Below, headers and frames are the larger part. */
const MIN_BYTES = 1024;

const compress = compressionOf({
  threshold: MIN_BYTES,
  filter: isJson,
  level: 5,
  brotli: {
    params: {
      [constants.BROTLI_PARAM_QUALITY]: 4,
      [constants.BROTLI_PARAM_MODE]: constants.BROTLI_MODE_TEXT,
      // The window of all answers is made before their size is known: 256 KB in place of 4 MB.
      [constants.BROTLI_PARAM_LGWIN]: 18,
    },
  },
});

/** Compresses JSON by brotli or gzip as the client asks, on the routes where that is safe. */
export const compression: RequestHandler = (request, response, next) => {
  if (request.method === 'GET' && ROUTES.test(request.path)) compress(request, response, next);
  else next();
};

/** Refusals are small; files that are saved are streams, for which nobody waits. */
function isJson(_: Request, response: Response): boolean {
  const type = String(response.getHeader('Content-Type') ?? '');
  const isFile = response.hasHeader('Content-Disposition');
  return response.statusCode === 200 && type.startsWith('application/json') && !isFile;
}

import { constants } from 'node:zlib';
import compressionOf from 'compression';
import type { Request, RequestHandler, Response } from 'express';

/**
 * Routes whose responses are compressed. Excludes tokens, keys, sessions, accounts and forms: the
 * compressed size leaks a secret next to text from an attacker (docs/security.md#compression).
 */
const ROUTES = /^\/(?:api\/v1\/(?:urls|stats|overview|public\/stats)(?:\/.*)?|openapi\.json\/?)$/i;
/** Compressing smaller responses saves almost nothing. */
const MIN_BYTES = 1024;

const compress = compressionOf({
  threshold: MIN_BYTES,
  filter: isJson,
  level: 5,
  brotli: {
    params: {
      [constants.BROTLI_PARAM_QUALITY]: 4,
      [constants.BROTLI_PARAM_MODE]: constants.BROTLI_MODE_TEXT,
      // Limits Brotli's window, which is allocated before the size is known, to 256 KB instead of 4
      // MB.
      [constants.BROTLI_PARAM_LGWIN]: 18,
    },
  },
});

export const compression: RequestHandler = (request, response, next) => {
  if (request.method === 'GET' && ROUTES.test(request.path)) compress(request, response, next);
  else next();
};

/** Only JSON responses are compressed: errors are small, and downloads are streamed. */
function isJson(_: Request, response: Response): boolean {
  const type = String(response.getHeader('Content-Type') ?? '');
  const isFile = response.hasHeader('Content-Disposition');
  return response.statusCode === 200 && type.startsWith('application/json') && !isFile;
}

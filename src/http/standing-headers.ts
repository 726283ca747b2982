import type { IncomingMessage, ServerResponse } from 'node:http';
import { HttpOptions } from '../config/options';
import { securityHeaders } from '../core/standing-headers';
import { newRequestId } from '../core/request-id';

// Without regard to case, as the router reads paths.
const PRIVATE = /^\/(?:api|auth|oauth)(?:[/?]|$)/i;
const ALWAYS_JSON = /^\/(?:api|auth)(?:[/?]|$)/i;
const SAME_FOR_ALL = /^\/(?:health|metric|metrics|openapi\.json|docs|static)(?:[/?]|$)/i;

/** Sets the headers of contract 1.1 that every response carries, and those for caches. */
export function securityHeaderSetter(
  http: HttpOptions,
): (request: IncomingMessage, response: ServerResponse) => void {
  const standing = securityHeaders(http.baseUrl.startsWith('https:'));
  return (request, response) => {
    response.setHeader('X-Request-ID', newRequestId());
    for (const [name, value] of standing) response.setHeader(name, value);
    setCaching(request.url ?? '/', response);
  };
}

/**
 * Says to caches what an answer depends on, refusals included. What a credential decides is stored
 * nowhere: tokens, accounts and private figures are among it.
 */
function setCaching(url: string, response: ServerResponse): void {
  if (PRIVATE.test(url)) {
    response.setHeader('Cache-Control', 'no-store');
    const form = ALWAYS_JSON.test(url) ? '' : ', Accept';
    response.setHeader('Vary', `Cookie, Authorization${form}`);
  } else if (!SAME_FOR_ALL.test(url)) {
    response.setHeader('Vary', 'Accept');
  }
}

import type { IncomingMessage } from 'node:http';

const ALWAYS_JSON =
  /^\/(?:api|auth|health|metric|metrics|oauth\/providers|openapi\.json)(?:[/?]|$)|^\/oauth\/providers/;
const LEGACY = /^\/(?:emoji|stats|export)(?:[/?]|$)|^\/(?:\?|$)/;

/** Contract 2.2: whether an error on this request is answered as JSON or as a page. */
export function wantsJson(request: IncomingMessage & { originalUrl?: string }): boolean {
  const url = request.originalUrl ?? request.url ?? '/';
  if (ALWAYS_JSON.test(url)) return true;
  const accept = request.headers.accept ?? '';
  if (LEGACY.test(url)) return !accept.includes('text/html');
  return (
    accept.includes('application/json') ||
    (request.headers['content-type'] ?? '').toLowerCase().startsWith('application/json')
  );
}

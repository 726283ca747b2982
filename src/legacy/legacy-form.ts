import type { IncomingMessage } from 'node:http';

/**
 * Whether a v0 answer is JSON (contract 13): shortening asks for it by `Accept`, POST statistics
 * are JSON unless a page is asked for, GET statistics are pages, exports fail as JSON on POST and
 * as pages on GET.
 */
export function wantsLegacyJson(request: IncomingMessage & { originalUrl?: string }): boolean {
  const accept = request.headers.accept ?? '';
  const room = /^\/(stats|export)(?:[/?]|$)/.exec(request.originalUrl ?? request.url ?? '')?.[1];
  if (room === undefined) return accept.includes('application/json');
  if (request.method !== 'POST') return false;
  return room === 'export' || !accept.includes('text/html');
}

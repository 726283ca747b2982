import type { ServerResponse } from 'node:http';
import { newRequestId } from '../core/request-id';
import { securityHeaders } from '../core/standing-headers';
import { location } from './location';

/** Contract 8.1: headers of every answer under /{code}. */
export const REDIRECT_HEADERS = [
  ['Cache-Control', 'no-store'],
  ['X-Robots-Tag', 'noindex, nofollow'],
] as const;

/** Writes redirects with as little work as possible: one flat header list, no body. */
export class RedirectResponse {
  private readonly standing: readonly string[];

  constructor(https: boolean) {
    this.standing = [
      ...securityHeaders(https),
      ...REDIRECT_HEADERS,
      ['Content-Length', '0'],
    ].flat();
  }

  /** Answers the id that the response carries. */
  send(response: ServerResponse, status: 302 | 303, longUrl: string): string {
    const requestId = newRequestId();
    if (response.headersSent) return requestId;
    const headers = ['Location', location(longUrl), 'X-Request-ID', requestId, ...this.standing];
    // A request that came through Nest has headers set already, which a flat list would double.
    for (const name of response.getHeaderNames()) response.removeHeader(name);
    response.writeHead(status, headers);
    response.end();
    return requestId;
  }
}

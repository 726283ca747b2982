import type { ServerResponse } from 'node:http';
import { newRequestId } from '../common/request-id';
import { securityHeaders } from '../common/security-headers';

const ASCII = /^[\x21-\x7e]*$/;
const OUTSIDE = /[^\x21-\x7e]+/g;

/**
 * The Location of a destination: unchanged, but for characters that no header can carry, which are
 * percent-encoded as browsers do before sending them (RFC 3987, 3.1).
 */
export function location(longUrl: string): string {
  return ASCII.test(longUrl) ? longUrl : longUrl.replace(OUTSIDE, encodeURIComponent);
}

/** docs/contract.md#8.1: headers of every answer under /{code}. */
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
    for (const name of response.getHeaderNames()) {
      if (name.startsWith('x-ratelimit-')) headers.push(name, String(response.getHeader(name)));
      response.removeHeader(name);
    }
    response.writeHead(status, headers);
    response.end();
    return requestId;
  }
}

import type { ServerResponse } from 'node:http';
import type { Reply } from '../common/request-handler';
import { newRequestId, securityHeaders } from '../common/response-headers';

/** Headers on every response under /{code} (docs/contract.md#8.1). */
export const REDIRECT_HEADERS = [
  ['Cache-Control', 'no-store'],
  ['X-Robots-Tag', 'noindex, nofollow'],
] as const;

const SECOND_LENGTH_MS = 1000;

/** Writes redirects to Node responses, or as raw text for the fast path, which has none. */
export class RedirectWriter {
  private readonly standing: readonly string[];
  private readonly standingText: string;
  private second = 0;
  private date = '';

  constructor(https: boolean) {
    const standing = [...securityHeaders(https), ...REDIRECT_HEADERS, ['Content-Length', '0']];
    this.standing = standing.flat();
    this.standingText = standing.map((header) => `${header.join(': ')}\r\n`).join('');
  }

  send(response: ServerResponse, status: 302 | 303, location: string): string {
    const requestId = newRequestId();
    if (response.headersSent) return requestId;
    const headers = ['Location', location, 'X-Request-ID', requestId, ...this.standing];
    // Removes headers set by Nest, which `headers` would duplicate, but keeps rate-limit headers.
    for (const name of response.getHeaderNames()) {
      if (name.startsWith('x-ratelimit-')) headers.push(name, String(response.getHeader(name)));
      response.removeHeader(name);
    }
    response.writeHead(status, headers).end();
    return requestId;
  }

  /** Writes a raw 302 response. A stored location is visible ASCII, so it has no line breaks. */
  reply(reply: Reply, location: string): string {
    const requestId = newRequestId();
    reply.send(this.text(location, requestId, reply.keepAliveSeconds));
    return requestId;
  }

  private text(location: string, requestId: string, keepAliveSeconds: number): string {
    return (
      `HTTP/1.1 302 Found\r\nLocation: ${location}\r\nX-Request-ID: ${requestId}\r\n` +
      `${this.standingText}Date: ${this.now()}\r\nConnection: keep-alive\r\n` +
      `Keep-Alive: timeout=${keepAliveSeconds}\r\n\r\n`
    );
  }

  private now(): string {
    const second = Math.floor(Date.now() / SECOND_LENGTH_MS);
    if (second !== this.second) {
      this.second = second;
      this.date = new Date(second * SECOND_LENGTH_MS).toUTCString();
    }
    return this.date;
  }
}

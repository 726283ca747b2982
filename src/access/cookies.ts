import type { IncomingMessage } from 'node:http';

export const ACCESS_COOKIE = 'access_token';
export const REFRESH_COOKIE = 'refresh_token';
export const DEVICE_COOKIE = 'device';

/** Value of a request cookie, null when absent or empty. Never decodes: our values need none. */
export function readCookie(request: IncomingMessage, name: string): string | null {
  for (const part of (request.headers.cookie ?? '').split(';')) {
    const equals = part.indexOf('=');
    if (equals > 0 && part.slice(0, equals).trim() === name) {
      return part.slice(equals + 1).trim() || null;
    }
  }
  return null;
}

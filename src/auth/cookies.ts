import type { IncomingMessage } from 'node:http';
import { parse } from 'cookie';
import { HttpOptions } from '../config/options';

export const ACCESS_COOKIE = 'access_token';
export const REFRESH_COOKIE = 'refresh_token';
export const DEVICE_COOKIE = 'device';

const asItIs = (value: string): string => value;

/** Returns null if absent or empty. Does not decode, because our values are not encoded. */
export function readCookie({ headers }: IncomingMessage, name: string): string | null {
  return parse(headers.cookie ?? '', { decode: asItIs })[name] || null;
}

/** Whether a form comes from this site and not from another one (docs/contract.md#18.2). */
export function isOwnForm({ headers }: IncomingMessage, { baseUrl }: HttpOptions): boolean {
  const { origin } = headers;
  if (origin === undefined) return !isSaidForeign(headers);
  return origin === new URL(baseUrl).origin;
}

/** Browsers that send no Origin may still send Sec-Fetch-Site. */
function isSaidForeign(headers: IncomingMessage['headers']): boolean {
  const site = headers['sec-fetch-site'];
  return site === 'cross-site' || site === 'same-site';
}

const SAFE_METHODS = new Set(['GET', 'HEAD', 'OPTIONS']);

export function isSafe({ method }: IncomingMessage): boolean {
  return SAFE_METHODS.has(method ?? '');
}

/**
 * True without an Origin, which browsers send if another site causes a write (contract 3.4).
 */
export function mayActWithCookie(request: IncomingMessage, http: HttpOptions): boolean {
  const { origin } = request.headers;
  if (isSafe(request)) return true;
  if (origin === undefined) return !isSaidForeign(request.headers);
  return origin === new URL(http.baseUrl).origin || http.corsOrigins.includes(origin);
}

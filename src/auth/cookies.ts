import type { IncomingMessage } from 'node:http';
import { parse } from 'cookie';
import { HttpOptions } from '../config/options';

export const ACCESS_COOKIE = 'access_token';
export const REFRESH_COOKIE = 'refresh_token';
export const DEVICE_COOKIE = 'device';

const asItIs = (value: string): string => value;

/** Value of a request cookie, null when absent or empty. Never decodes: our values need none. */
export function readCookie({ headers }: IncomingMessage, name: string): string | null {
  return parse(headers.cookie ?? '', { decode: asItIs })[name] || null;
}

/**
 * Whether a form may have been sent by a page of ours (docs/contract.md#18.2), whoever is signed in: a
 * page of another site can neither act for somebody nor sign somebody in.
 */
export function isOwnForm({ headers }: IncomingMessage, { baseUrl }: HttpOptions): boolean {
  const { origin } = headers;
  if (origin === undefined) return !isSaidForeign(headers);
  return origin === new URL(baseUrl).origin;
}

/** A browser that sends no Origin may still say where the request comes from. */
function isSaidForeign(headers: IncomingMessage['headers']): boolean {
  const site = headers['sec-fetch-site'];
  return site === 'cross-site' || site === 'same-site';
}

const SAFE_METHODS = new Set(['GET', 'HEAD', 'OPTIONS']);

/** True for a request that changes nothing, wherever it comes from. */
export function isSafe({ method }: IncomingMessage): boolean {
  return SAFE_METHODS.has(method ?? '');
}

/**
 * Whether a request whose only credential is a cookie may act (docs/contract.md#3.4): its Origin must be
 * ours or an allowed one. A client that sends no Origin is no browser acting for another site.
 */
export function mayActWithCookie(request: IncomingMessage, http: HttpOptions): boolean {
  const { origin } = request.headers;
  if (isSafe(request)) return true;
  if (origin === undefined) return !isSaidForeign(request.headers);
  return origin === new URL(http.baseUrl).origin || http.corsOrigins.includes(origin);
}

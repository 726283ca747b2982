import type { IncomingMessage } from 'node:http';
import { ACCESS_COOKIE, readCookie } from './cookies';

/** Names under which the strategies register with passport. */
export const JWT_STRATEGY = 'jwt';
export const API_KEY_STRATEGY = 'api-key';

/** What a request presents to say who it comes from (docs/contract.md#3.1). */
export type Credential =
  | { readonly kind: 'key' | 'token' | 'cookie'; readonly value: string }
  /** An Authorization header of another scheme or form. */
  | { readonly kind: 'unreadable' };

/** The one credential that counts: bearer key, bearer JWT, cookie; null where there is none. */
export function credentialOf(request: IncomingMessage): Credential | null {
  const { authorization } = request.headers;
  if (authorization === undefined) {
    const value = readCookie(request, ACCESS_COOKIE);
    return value === null ? null : { kind: 'cookie', value };
  }
  const value = /^Bearer +(\S+) *$/i.exec(authorization)?.[1];
  if (value === undefined) return { kind: 'unreadable' };
  return { kind: value.startsWith('svc_') ? 'key' : 'token', value };
}

/** The JWT that a request presents, null when it presents none. */
export function presentedToken(request: IncomingMessage): string | null {
  const credential = credentialOf(request);
  return credential?.kind === 'token' || credential?.kind === 'cookie' ? credential.value : null;
}

/** The API key that a request presents, null when it presents none. */
export function presentedKey(request: IncomingMessage): string | null {
  const credential = credentialOf(request);
  return credential?.kind === 'key' ? credential.value : null;
}

import type { IncomingMessage } from 'node:http';
import type { Request } from 'express';
import { AuthenticationError } from '../common/errors';
import { findKeyReader } from './access';
import { ACCESS_COOKIE, readCookie } from './cookies';

export const JWT_STRATEGY = 'jwt';
export const API_KEY_STRATEGY = 'api-key';
export const PAGE_SESSION_STRATEGY = 'page-session';

export type Credential =
  | { readonly kind: 'key' | 'token' | 'cookie'; readonly value: string }
  /** A credential in an unsupported form or header. */
  | { readonly kind: 'misplaced'; readonly error: AuthenticationError };

const IN_BEARER = { hint: 'Authorization: Bearer svc_…' };

/**
 * Returns the credential to use: a bearer key or JWT, a key as the `Basic` user name or password,
 * or the cookie. Ignores other schemes, which a proxy may pass on.
 */
export function credentialFromRequest(request: IncomingMessage): Credential | null {
  const { authorization, 'x-api-key': apiKey } = request.headers;
  const inHeader = authorization === undefined ? null : ofAuthorization(authorization);
  const readKey = findKeyReader(request as Request);
  if (readKey !== undefined) {
    const key = readKey(request as Request);
    if (typeof key === 'string') return { kind: 'key', value: key.trim() };
    if (key !== null) return { kind: 'misplaced', error: key };
    return inHeader?.kind === 'token' ? null : inHeader;
  }
  if (inHeader !== null) return inHeader;
  const value = readCookie(request, ACCESS_COOKIE);
  if (value !== null) return { kind: 'cookie', value };
  if (apiKey === undefined || !requestPath(request).startsWith('/api/v1/')) return null;
  const error = new AuthenticationError(
    'This service does not read the header X-API-Key',
    IN_BEARER,
  );
  return { kind: 'misplaced', error };
}

function ofAuthorization(header: string): Credential | null {
  const [, scheme = '', rest = ''] = /^(\S*) *(.*)$/.exec(header.trim()) ?? [];
  if (/^bearer$/i.test(scheme)) {
    if (/^\S+$/.test(rest)) return { kind: isKey(rest) ? 'key' : 'token', value: rest };
    const error = new AuthenticationError('Authorization: Bearer has no credential', IN_BEARER);
    return { kind: 'misplaced', error };
  }
  if (/^basic$/i.test(scheme)) return keyInBasic(rest);
  if (rest !== '' || !(isKey(scheme) || JWT.test(scheme))) return null;
  const error = new AuthenticationError('Authorization lacks the scheme Bearer', IN_BEARER);
  return { kind: 'misplaced', error };
}

/** Returns the key that `curl -u svc_…:` sends. Other user names are a proxy's credentials. */
function keyInBasic(encoded: string): Credential | null {
  const [user = '', ...password] = Buffer.from(encoded, 'base64').toString('latin1').split(':');
  const value = [user, password.join(':')].find(isKey);
  return value === undefined ? null : { kind: 'key', value };
}

const JWT = /^[\w-]+\.[\w-]+\.[\w-]*$/;

function isKey(text: string): boolean {
  return text.startsWith('svc_');
}

function requestPath({ url, originalUrl }: IncomingMessage & { originalUrl?: string }): string {
  return originalUrl ?? url ?? '/';
}

/** The reason for a 401. It may be precise, because the client knows the credential. */
export class CredentialRefusal {
  constructor(readonly reason: string) {}
}

export const SESSION_ENDED = new CredentialRefusal('The session has ended; sign in again');

export function presentedToken(request: IncomingMessage): string | null {
  const credential = credentialFromRequest(request);
  return credential?.kind === 'token' || credential?.kind === 'cookie' ? credential.value : null;
}

export function presentedKey(request: IncomingMessage): string | null {
  const credential = credentialFromRequest(request);
  return credential?.kind === 'key' ? credential.value : null;
}

import { createHash, randomBytes } from 'node:crypto';

const FORM = /^([0-9a-f]{24})\.[A-Za-z0-9_-]{22}$/;

/** A `jti`: the session's id, so that a spent token leads to it, and 16 random bytes. */
export function newRefreshId(sessionId: string): string {
  return `${sessionId}.${randomBytes(16).toString('base64url')}`;
}

/** The session that a `jti` belongs to, null when it has another form. */
export function sessionOf(jti: string): string | null {
  return FORM.exec(jti)?.[1] ?? null;
}

/** What is stored of a `jti`. */
export function digestOf(jti: string): string {
  return createHash('sha256').update(jti).digest('hex');
}

import type { SignInMethod } from './session';

export const ISSUER = 'curtail';
export const AUDIENCE = 'curtail-api';

/** Claims of both tokens (contract 3.3); iss, aud, iat and exp are the library's. */
export interface AccessClaims {
  readonly sub: string;
  readonly amr: readonly SignInMethod[];
  readonly email: string;
  readonly email_verified: boolean;
  /** Id of the session; tokens of earlier releases have none. */
  readonly sid?: string;
}

export interface RefreshClaims extends AccessClaims {
  readonly type: 'refresh';
  readonly jti: string;
}

const ID = /^[0-9a-f]{24}$/;

/** Claims that every token of ours has. A token that never ends is none of ours. */
function isOurs(claims: Record<string, unknown>): boolean {
  return (
    typeof claims.sub === 'string' &&
    ID.test(claims.sub) &&
    typeof claims.exp === 'number' &&
    typeof claims.email === 'string' &&
    typeof claims.email_verified === 'boolean' &&
    Array.isArray(claims.amr) &&
    (claims.sid === undefined || (typeof claims.sid === 'string' && ID.test(claims.sid)))
  );
}

export function isAccessClaims(claims: object): claims is AccessClaims {
  return isOurs({ ...claims }) && !('type' in claims) && !('jti' in claims);
}

export function isRefreshClaims(claims: object): claims is RefreshClaims {
  const { type, jti }: { type?: unknown; jti?: unknown } = claims;
  return isOurs({ ...claims }) && type === 'refresh' && typeof jti === 'string';
}

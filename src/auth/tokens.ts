import { Injectable } from '@nestjs/common';
import { JwtService, type JwtVerifyOptions } from '@nestjs/jwt';

export const ISSUER = 'curtail';
export const AUDIENCE = 'curtail-api';
export const ACCESS_SECONDS = 900;
export const REFRESH_SECONDS = 2_592_000;

/** Accepts only HS256 and refuses tokens with another algorithm. */
export const TOKEN_VERIFICATION = {
  algorithms: ['HS256'],
  issuer: ISSUER,
  audience: AUDIENCE,
} satisfies JwtVerifyOptions;

export interface TokenSubject {
  readonly id: string;
  readonly email: string;
  readonly emailVerified: boolean;
}

export interface TokenSession {
  readonly id: string;
  /** Sign-in methods: `pwd` or provider names. */
  readonly methods: readonly string[];
}

export interface TokenPair {
  readonly accessToken: string;
  readonly refreshToken: string;
}

/** Claims in both tokens (docs/contract.md#3.3). The library adds iss, aud, iat and exp. */
export interface AccessClaims {
  readonly sub: string;
  readonly amr: readonly string[];
  readonly email: string;
  readonly email_verified: boolean;
  readonly sid: string;
}

export interface RefreshClaims extends AccessClaims {
  readonly type: 'refresh';
  readonly jti: string;
}

const CLAIMED_ID = /^[0-9a-f]{24}$/;

/** Checks the claims that both tokens have. A token without expiry is invalid. */
function isOurToken(claims: Record<string, unknown>): boolean {
  return (
    typeof claims.sub === 'string' &&
    CLAIMED_ID.test(claims.sub) &&
    typeof claims.exp === 'number' &&
    typeof claims.email === 'string' &&
    typeof claims.email_verified === 'boolean' &&
    Array.isArray(claims.amr) &&
    typeof claims.sid === 'string' &&
    CLAIMED_ID.test(claims.sid)
  );
}

export function isAccessClaims(claims: object): claims is AccessClaims {
  return isOurToken({ ...claims }) && !('type' in claims) && !('jti' in claims);
}

export function isRefreshClaims(claims: object): claims is RefreshClaims {
  const { type, jti }: { type?: unknown; jti?: unknown } = claims;
  return isOurToken({ ...claims }) && type === 'refresh' && typeof jti === 'string';
}

/** Signs access and refresh tokens (docs/contract.md#3.3), which are not interchangeable. */
@Injectable()
export class TokensService {
  constructor(private readonly jwt: JwtService) {}

  /** @param jti identifies the refresh token */
  pair(subject: TokenSubject, session: TokenSession, jti: string): TokenPair {
    const claims: AccessClaims = {
      sub: subject.id,
      amr: [...session.methods],
      email: subject.email,
      email_verified: subject.emailVerified,
      sid: session.id,
    };
    const refresh: RefreshClaims = { ...claims, type: 'refresh', jti };
    return {
      accessToken: this.jwt.sign({ ...claims }, { expiresIn: ACCESS_SECONDS }),
      refreshToken: this.jwt.sign({ ...refresh }, { expiresIn: REFRESH_SECONDS }),
    };
  }

  readAccess(token: string): AccessClaims | null {
    const claims = this.read(token);
    return claims !== null && isAccessClaims(claims) ? claims : null;
  }

  readRefresh(token: string): RefreshClaims | null {
    const claims = this.read(token);
    return claims !== null && isRefreshClaims(claims) ? claims : null;
  }

  private read(token: string): object | null {
    try {
      return this.jwt.verify<object>(token);
    } catch {
      return null;
    }
  }
}

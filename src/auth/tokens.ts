import { Injectable, Module } from '@nestjs/common';
import { JwtModule, JwtService } from '@nestjs/jwt';
import type { Account } from '../accounts/account';
import {
  ACCESS_SECONDS,
  REFRESH_SECONDS,
  type Session,
  type SignInMethod,
} from '../accounts/sessions/session';
import { TokenOptions } from '../config/options';

export const ISSUER = 'curtail';
export const AUDIENCE = 'curtail-api';

/** Claims of both tokens (docs/contract.md#3.3); iss, aud, iat and exp are the library's. */
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

/** Signs and reads the two tokens of docs/contract.md#3.3; neither passes for the other. */
@Injectable()
export class TokensService {
  constructor(private readonly jwt: JwtService) {}

  access(account: Account, session: Session): string {
    return this.jwt.sign(claimsOf(account, session), { expiresIn: ACCESS_SECONDS });
  }

  refresh(account: Account, session: Session, jti: string): string {
    const claims = { ...claimsOf(account, session), type: 'refresh', jti };
    return this.jwt.sign(claims, { expiresIn: REFRESH_SECONDS });
  }

  /** Claims of a valid access token, null for anything else. */
  readAccess(token: string): AccessClaims | null {
    const claims = this.read(token);
    return claims !== null && isAccessClaims(claims) ? claims : null;
  }

  /** Claims of a valid refresh token, null for anything else. */
  readRefresh(token: string): RefreshClaims | null {
    const claims = this.read(token);
    return claims !== null && isRefreshClaims(claims) ? claims : null;
  }

  private read(token: string): object | null {
    try {
      return this.jwt.verify(token);
    } catch {
      return null;
    }
  }
}

function claimsOf(account: Account, session: Session): AccessClaims {
  return {
    sub: account.id,
    amr: [...session.methods],
    email: account.email,
    email_verified: account.emailVerified,
    sid: session.id,
  };
}

/** JWTs are HS256 in both directions; a token that names another algorithm is refused. */
@Module({
  imports: [
    JwtModule.registerAsync({
      inject: [TokenOptions],
      useFactory: ({ secret }: TokenOptions) => ({
        secret,
        signOptions: { algorithm: 'HS256', issuer: ISSUER, audience: AUDIENCE },
        verifyOptions: { algorithms: ['HS256'], issuer: ISSUER, audience: AUDIENCE },
      }),
    }),
  ],
  providers: [TokensService],
  exports: [TokensService],
})
export class TokensModule {}

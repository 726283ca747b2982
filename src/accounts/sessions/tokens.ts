import { Injectable } from '@nestjs/common';
import { JwtService } from '@nestjs/jwt';
import type { Account } from '../account';
import { AccessClaims, isAccessClaims, isRefreshClaims, RefreshClaims } from './claims';
import { ACCESS_SECONDS, REFRESH_SECONDS, type SignInMethod } from './session';

/** Signs and reads the two tokens of contract 3.3; neither passes for the other. */
@Injectable()
export class Tokens {
  constructor(private readonly jwt: JwtService) {}

  access(account: Account, methods: readonly SignInMethod[]): string {
    return this.jwt.sign(claimsOf(account, methods), { expiresIn: ACCESS_SECONDS });
  }

  refresh(account: Account, methods: readonly SignInMethod[], jti: string): string {
    const claims = { ...claimsOf(account, methods), type: 'refresh', jti };
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

function claimsOf(account: Account, methods: readonly SignInMethod[]): AccessClaims {
  return {
    sub: account.id,
    amr: [...methods],
    email: account.email,
    email_verified: account.emailVerified,
  };
}

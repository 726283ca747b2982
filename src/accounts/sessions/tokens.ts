import { Injectable } from '@nestjs/common';
import { JwtService } from '@nestjs/jwt';
import type { Account } from '../account';
import { AccessClaims, isAccessClaims, isRefreshClaims, RefreshClaims } from './claims';
import { ACCESS_SECONDS, REFRESH_SECONDS, type Session } from './session';

/** Signs and reads the two tokens of contract 3.3; neither passes for the other. */
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

import { Injectable } from '@nestjs/common';
import { PassportStrategy } from '@nestjs/passport';
import type { Request } from 'express';
import { Strategy } from 'passport-jwt';
import { needsLiveSession } from '../../auth/caller';
import { CredentialRefusal, JWT_STRATEGY, presentedToken } from '../../auth/credential';
import type { Principal } from '../../auth/principal';
import { isAccessClaims, TOKEN_VERIFICATION } from '../../auth/tokens';
import { TokenOptions } from '../../config/options';
import { isSuperseded } from '../account';
import { AccountsRepository } from '../accounts.repository';
import { SessionsService } from './sessions.service';

/** The principal; or none, and why. */
type Validated = Principal | null | [null, CredentialRefusal];

const ENDED: Validated = [null, new CredentialRefusal('The session has ended, sign in again')];

/** Sessions: an access token in the Authorization header or in the cookie. */
@Injectable()
export class JwtStrategy extends PassportStrategy(Strategy, JWT_STRATEGY) {
  constructor(
    private readonly accounts: AccountsRepository,
    private readonly sessions: SessionsService,
    { secret }: TokenOptions,
  ) {
    super({
      jwtFromRequest: presentedToken,
      secretOrKey: secret,
      passReqToCallback: true,
      ...TOKEN_VERIFICATION,
    });
  }

  /**
   * A verified JWT speaks for itself: nothing is read but where its session has to be live
   * (docs/contract.md#12.5, row "Ended session"). An unverified one may be a stranger's whose account the
   * owner of the address has taken over since.
   */
  async validate(request: Request, claims: object): Promise<Validated> {
    if (!isAccessClaims(claims)) return null;
    const { sub: userId, sid: sessionId = null, email_verified: emailVerified } = claims;
    if (needsLiveSession(request) && !(await this.sessions.isLive(sessionId, userId))) return ENDED;
    const session: Principal = { userId, kind: 'session', sessionId, scopes: [], emailVerified };
    if (emailVerified) return session;
    const account = await this.accounts.findById(userId);
    return account !== null && isSuperseded(account, session) ? ENDED : session;
  }
}

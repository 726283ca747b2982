import { Injectable } from '@nestjs/common';
import { PassportStrategy } from '@nestjs/passport';
import type { Request } from 'express';
import { Strategy } from 'passport-jwt';
import {
  type CredentialRefusal,
  JWT_STRATEGY,
  presentedToken,
  SESSION_ENDED,
} from '../../auth/credential';
import { needsLiveSession, type Principal } from '../../auth/access';
import { isAccessClaims, TOKEN_VERIFICATION } from '../../auth/tokens';
import { TokenOptions } from '../../config/options';
import { SessionsService } from './sessions.service';

type Validated = Principal | null | [null, CredentialRefusal];

const ENDED: Validated = [null, SESSION_ENDED];

@Injectable()
export class JwtStrategy extends PassportStrategy(Strategy, JWT_STRATEGY) {
  constructor(
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

  async validate(request: Request, claims: object): Promise<Validated> {
    if (!isAccessClaims(claims)) return null;
    return (await this.sessions.findPrincipal(claims, needsLiveSession(request))) ?? ENDED;
  }
}

import { Injectable } from '@nestjs/common';
import { PassportStrategy } from '@nestjs/passport';
import type { Request } from 'express';
import { Strategy } from 'passport';
import { ACCESS_COOKIE, isOwnForm, isSafe, readCookie, REFRESH_COOKIE } from '../../auth/cookies';
import { PAGE_SESSION_STRATEGY, SESSION_ENDED } from '../../auth/credential';
import { needsLiveSession, type Principal } from '../../auth/access';
import { wantsJson } from '../../common/http/error-response';
import { HttpOptions } from '../../config/options';
import { SessionsService } from './sessions.service';

type PageDone = (error: unknown, principal?: Principal | 'ended' | null) => void;

class BrowserStrategy extends Strategy {
  constructor(private readonly verify: (request: Request, done: PageDone) => void) {
    super();
  }

  override authenticate(request: Request): void {
    this.verify(request, (error, principal) => {
      if (error) this.error(error);
      else if (principal === 'ended') this.fail(SESSION_ENDED, 401);
      else if (principal) this.success(principal);
      else this.fail('Not signed in');
    });
  }
}

/** Finds the signed-in account. Ignores programs, and forms on other sites. */
@Injectable()
export class PageSessionStrategy extends PassportStrategy(BrowserStrategy, PAGE_SESSION_STRATEGY) {
  constructor(
    private readonly sessions: SessionsService,
    private readonly http: HttpOptions,
  ) {
    super();
  }

  validate(request: Request): Promise<Principal | 'ended' | null> {
    const isOurs = isSafe(request) || isOwnForm(request, this.http);
    if (!isOurs || wantsJson(request)) return Promise.resolve(null);
    const access = readCookie(request, ACCESS_COOKIE);
    const refresh = readCookie(request, REFRESH_COOKIE);
    return this.sessions.ofBrowser({ access, refresh }, needsLiveSession(request));
  }
}

import { Injectable } from '@nestjs/common';
import type { Request, Response } from 'express';
import { OriginRefusedError } from '../../auth/access.errors';
import { readCookie, REFRESH_COOKIE } from '../../auth/cookies';
import { mayActWithCookie } from '../../auth/cookies';
import { HttpOptions } from '../../config/options';
import { AppLog } from '../../common/log';
import type { Account } from '../account';
import { DeviceCookies } from './device-cookies';
import type { SignInMethod } from './session';
import { SessionCookies } from './session-cookies';
import { RefreshRefusedError } from '../accounts.errors';
import { SessionsService } from './sessions.service';

/** Sessions as a browser has them: the pair goes into cookies, the access token is answered too. */
@Injectable()
export class SignInService {
  constructor(
    private readonly sessions: SessionsService,
    private readonly cookies: SessionCookies,
    private readonly devices: DeviceCookies,
    private readonly http: HttpOptions,
    private readonly log: AppLog,
  ) {}

  /** Signs the account in, sets both cookies, remembers the browser, answers the access token. */
  async open(
    account: Account,
    methods: readonly SignInMethod[],
    response: Response,
  ): Promise<string> {
    const pair = await this.sessions.start(account, methods);
    this.cookies.set(response, pair);
    this.devices.set(account, response);
    return pair.accessToken;
  }

  /** Replaces the pair of the presented refresh cookie; clears both cookies where that is refused. */
  async refresh(request: Request, response: Response): Promise<string> {
    const token = readCookie(request, REFRESH_COOKIE);
    if (token !== null && !mayActWithCookie(request, this.http)) throw new OriginRefusedError();
    try {
      if (token === null) throw new RefreshRefusedError();
      const pair = await this.sessions.refresh(token);
      this.cookies.set(response, pair);
      return pair.accessToken;
    } catch (error) {
      if (error instanceof RefreshRefusedError) this.cookies.clear(response);
      throw error;
    }
  }

  /** Ends the session of the presented refresh cookie. Never fails: the cookies go in any case. */
  async close(request: Request, response: Response): Promise<void> {
    this.cookies.clear(response);
    const token = readCookie(request, REFRESH_COOKIE);
    if (token === null) return;
    try {
      await this.sessions.end(token);
    } catch (error) {
      this.log.error('A session could not be ended at its logout', { err: error });
    }
  }
}

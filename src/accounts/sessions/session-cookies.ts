import { Injectable } from '@nestjs/common';
import type { Response } from 'express';
import { ACCESS_COOKIE, REFRESH_COOKIE } from '../../auth/cookies';
import { HttpOptions } from '../../config/options';
import { ACCESS_SECONDS, REFRESH_SECONDS, type TokenPair } from '../../auth/tokens';

/** The two cookies of docs/contract.md#3.4. */
@Injectable()
export class SessionCookies {
  constructor(private readonly http: HttpOptions) {}

  set(response: Response, pair: TokenPair): void {
    this.put(response, ACCESS_COOKIE, pair.accessToken, ACCESS_SECONDS);
    this.put(response, REFRESH_COOKIE, pair.refreshToken, REFRESH_SECONDS);
  }

  clear(response: Response): void {
    this.put(response, ACCESS_COOKIE, '', 0);
    this.put(response, REFRESH_COOKIE, '', 0);
  }

  private put(response: Response, name: string, value: string, seconds: number): void {
    response.cookie(name, value, {
      maxAge: seconds * 1000,
      httpOnly: true,
      secure: this.http.cookieSecure,
      sameSite: 'lax',
      path: '/',
    });
  }
}

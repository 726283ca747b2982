import { randomBytes } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import type { Request, Response } from 'express';
import { readCookie } from '../../auth/cookies';
import { HttpOptions } from '../../config/options';
import { STATE_SECONDS } from './state';

const FORM = /^[A-Za-z0-9_-]{43}$/;

/** A random cookie that tells the browser which started an attempt from all others. */
@Injectable()
export class BrowserBinding {
  private readonly name: string;

  constructor(private readonly http: HttpOptions) {
    // The prefix keeps sites on sub-domains from planting a mark of theirs.
    this.name = http.cookieSecure ? '__Host-oauth_browser' : 'oauth_browser';
  }

  /** The browser's mark, a new one if it has none; one for all of its tabs. */
  give(request: Request, response: Response): string {
    const mark = this.of(request) ?? randomBytes(32).toString('base64url');
    response.cookie(this.name, mark, {
      maxAge: STATE_SECONDS * 1000,
      httpOnly: true,
      secure: this.http.cookieSecure,
      // Lax, not Strict: the provider's redirect comes from another site.
      sameSite: 'lax',
      path: '/',
    });
    return mark;
  }

  of(request: Request): string | null {
    const mark = readCookie(request, this.name);
    return mark !== null && FORM.test(mark) ? mark : null;
  }
}

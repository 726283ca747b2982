import { createHmac, hkdfSync, timingSafeEqual } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { Injectable } from '@nestjs/common';
import type { Response } from 'express';
import { readCookie } from '../../auth/cookies';
import { HttpOptions, TokenOptions } from '../../config/options';
import type { Link } from '../../stores/links/link';

const PASS_COOKIE = 'statistics_pass';
const PASS_SECONDS = 1800;
/** Expiry in seconds since 1970, and the signature. */
const PASS_FORMAT = /^([0-9a-z]{1,9})\.([A-Za-z0-9_-]{43})$/;

/**
 * Cookie for a browser in which the link password was entered, so that URLs for other ranges and
 * files do not need a password. Bound to the password and valid only for the link's statistics.
 */
@Injectable()
export class StatisticsPass {
  private readonly key: Buffer;

  constructor(
    tokens: TokenOptions,
    private readonly http: HttpOptions,
  ) {
    this.key = Buffer.from(hkdfSync('sha256', tokens.secret, '', 'curtail statistics pass', 32));
  }

  isShown(link: Link, request: IncomingMessage): boolean {
    const [, end = '', signature = ''] =
      PASS_FORMAT.exec(readCookie(request, PASS_COOKIE) ?? '') ?? [];
    if (end === '' || parseInt(end, 36) * 1000 <= Date.now()) return false;
    return timingSafeEqual(Buffer.from(this.sign(link, end)), Buffer.from(signature));
  }

  hand(link: Link, response: Response): void {
    const end = (Math.floor(Date.now() / 1000) + PASS_SECONDS).toString(36);
    response.cookie(PASS_COOKIE, `${end}.${this.sign(link, end)}`, {
      maxAge: PASS_SECONDS * 1000,
      httpOnly: true,
      secure: this.http.cookieSecure,
      sameSite: 'lax',
      path: `/stats/${encodeURIComponent(link.alias)}`,
    });
  }

  private sign({ id, passwordHash }: Link, end: string): string {
    const signed = [id, passwordHash ?? '', end].join('.');
    return createHmac('sha256', this.key).update(signed).digest('base64url');
  }
}

import { createParamDecorator, type ExecutionContext, Injectable } from '@nestjs/common';
import type { Request, Response } from 'express';
import { readCookie } from '../../auth/cookies';
import { DAY_MS } from '../../common/time';
import { HttpOptions } from '../../config/options';
import { type ClaimDto, MAX_CLAIMS } from './claim.dto';

const CLAIMS_COOKIE = 'claims';
const CLAIM_KEPT_MS = 30 * DAY_MS;
const CLAIM_FORMAT = /^([0-9a-f]{24})\.([A-Za-z0-9_-]{43})$/;

/** Returns the claims in the cookie, newest first. Skips malformed claims. */
export function readClaims(request: Request): ClaimDto[] {
  const parts = (readCookie(request, CLAIMS_COOKIE) ?? '').split('~').slice(0, MAX_CLAIMS);
  return parts.flatMap((part) => {
    const [, url_id, token] = CLAIM_FORMAT.exec(part) ?? [];
    return url_id === undefined || token === undefined ? [] : [{ url_id, token }];
  });
}

export const CurrentClaims = createParamDecorator((_: unknown, context: ExecutionContext) =>
  readClaims(context.switchToHttp().getRequest<Request>()),
);

/** Lets a browser move its anonymous links to an account later (docs/contract.md#31.4). */
@Injectable()
export class ClaimCookie {
  constructor(private readonly http: HttpOptions) {}

  keep(claim: ClaimDto, request: Request, response: Response): void {
    const kept = [claim, ...readClaims(request)].slice(0, MAX_CLAIMS);
    const value = kept.map(({ url_id, token }) => `${url_id}.${token}`).join('~');
    response.cookie(CLAIMS_COOKIE, value, { ...this.options(), maxAge: CLAIM_KEPT_MS });
  }

  clear(response: Response): void {
    response.cookie(CLAIMS_COOKIE, '', { ...this.options(), maxAge: 0 });
  }

  private options() {
    const secure = this.http.cookieSecure;
    return { httpOnly: true, secure, sameSite: 'lax', path: '/', encode: String } as const;
  }
}

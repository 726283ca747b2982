import { createHmac, hkdfSync, timingSafeEqual } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { Injectable, type PipeTransform } from '@nestjs/common';
import type { Response } from 'express';
import {
  CurrentExchange,
  type Exchange,
  StatisticsClientPipe,
} from '../../analytics/engine/statistics-client.decorator';
import type { StatisticsClient } from '../../analytics/engine/statistics-engine';
import { RateLimitError } from '../../auth/access.errors';
import { callerFromRequest, viewerFromRequest } from '../../auth/access';
import type { Viewer } from '../../common/http/page';
import type { Link } from '../../stores/links/link';
import {
  LinkPasswordError,
  LinkPasswordWrongError,
} from '../../redirect/link-password/link-password.errors';
import {
  LinkPasswordAttempts,
  LinkPasswordVerifier,
} from '../../redirect/link-password/link-password.verifier';
import { readCookie } from '../../auth/cookies';
import { HttpOptions, TokenOptions } from '../../config/options';
import { type LegacyRequest, readLegacyRequest } from '../request/legacy-request';
import { StatisticsPasswordError } from '../refusals/legacy-stats.errors';

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

/** @throws StatisticsPasswordError, RateLimitError */
export type PasswordCheck = (link: Link) => Promise<void>;

const BUDGET_HEADERS = ['X-RateLimit-Limit', 'X-RateLimit-Remaining', 'X-RateLimit-Reset'];

export interface StatisticsRequest extends LegacyRequest {
  readonly code: string;
  /** Last segment of an export's path. */
  readonly format: string;
  readonly client: StatisticsClient;
  readonly checkPassword: PasswordCheck;
  /** Null if the viewer is not signed in. */
  readonly ownerId: string | null;
  readonly viewer: Viewer | null;
}

/** Binds the check to a request, so services do not depend on HTTP. */
@Injectable()
class StatisticsRequestPipe implements PipeTransform<Exchange, StatisticsRequest> {
  constructor(
    private readonly clients: StatisticsClientPipe,
    private readonly verifier: LinkPasswordVerifier,
    private readonly attempts: LinkPasswordAttempts,
    private readonly pass: StatisticsPass,
  ) {}

  transform({ request, response }: Exchange): StatisticsRequest {
    const legacy = readLegacyRequest(request);
    return {
      ...legacy,
      code: String(request.params.code),
      format: String(request.params.format),
      client: this.clients.transform({ request, response }),
      checkPassword: (link) => this.check(link, legacy, { request, response }),
      ownerId: callerFromRequest(request).ownerId,
      viewer: viewerFromRequest(request),
    };
  }

  /** Rate-limit headers are the route's, unless the password limit is exceeded. */
  private async check(
    link: Link,
    { input, wantsJson }: LegacyRequest,
    { request, response }: Exchange,
  ): Promise<void> {
    if (this.pass.isShown(link, request)) return;
    const budget = BUDGET_HEADERS.map((name) => [name, response.getHeader(name)] as const);
    try {
      const presented = this.attempts.presented(input('password'), request, response);
      await this.verifier.verify(link, presented);
    } catch (error) {
      if (error instanceof RateLimitError) throw error;
      restore(response, budget);
      if (!(error instanceof LinkPasswordError)) throw error;
      throw new StatisticsPasswordError(error.message, error instanceof LinkPasswordWrongError);
    }
    restore(response, budget);
    if (!wantsJson) this.pass.hand(link, response);
  }
}

export const CurrentStatisticsRequest = (): ParameterDecorator =>
  CurrentExchange(StatisticsRequestPipe);

type Budget = readonly (readonly [string, number | string | string[] | undefined])[];

function restore(response: Response, budget: Budget): void {
  for (const [name, value] of budget) {
    if (value !== undefined) response.setHeader(name, value);
  }
}

import type { IncomingMessage } from 'node:http';
import { Injectable, type PipeTransform } from '@nestjs/common';
import type { Response } from 'express';
import { CurrentExchange, type Exchange } from '../../analytics/engine/statistics-client.decorator';
import { RateLimitError } from '../../auth/access.errors';
import type { Link } from '../../stores/links/link';
import {
  LinkPasswordError,
  LinkPasswordWrongError,
} from '../../redirect/link-password/link-password.errors';
import {
  LinkPasswordAttempts,
  LinkPasswordVerifier,
} from '../../redirect/link-password/link-password.verifier';
import { legacyInput, wantsLegacyJson } from '../request/legacy-request';
import { StatisticsPasswordError } from './legacy-stats.errors';
import { StatisticsPass } from './statistics-pass';

/** @throws StatisticsPasswordError, RateLimitError */
export type PasswordCheck = (link: Link) => Promise<void>;

const BUDGET_HEADERS = ['X-RateLimit-Limit', 'X-RateLimit-Remaining', 'X-RateLimit-Reset'];

/** Binds the check to a request, so services do not depend on HTTP. */
@Injectable()
class PasswordCheckPipe implements PipeTransform<Exchange, PasswordCheck> {
  constructor(
    private readonly verifier: LinkPasswordVerifier,
    private readonly attempts: LinkPasswordAttempts,
    private readonly pass: StatisticsPass,
  ) {}

  transform({ request, response }: Exchange): PasswordCheck {
    return (link) => this.check(link, request, response);
  }

  /** Responses show the route's own rate limit unless the password throttle rejects. */
  private async check(link: Link, request: IncomingMessage, response: Response): Promise<void> {
    if (this.pass.isShown(link, request)) return;
    const budget = BUDGET_HEADERS.map((name) => [name, response.getHeader(name)] as const);
    try {
      const password = legacyInput(request)('password');
      await this.verifier.verify(link, this.attempts.presented(password, request, response));
    } catch (error) {
      if (error instanceof RateLimitError) throw error;
      restore(response, budget);
      if (!(error instanceof LinkPasswordError)) throw error;
      throw new StatisticsPasswordError(error.message, error instanceof LinkPasswordWrongError);
    }
    restore(response, budget);
    if (!wantsLegacyJson(request)) this.pass.hand(link, response);
  }
}

export const CurrentPasswordCheck = (): ParameterDecorator => CurrentExchange(PasswordCheckPipe);

type Budget = readonly (readonly [string, number | string | string[] | undefined])[];

function restore(response: Response, budget: Budget): void {
  for (const [name, value] of budget) {
    if (value !== undefined) response.setHeader(name, value);
  }
}

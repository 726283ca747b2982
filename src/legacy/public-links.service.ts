import { Injectable } from '@nestjs/common';
import type { Request, Response } from 'express';
import { RateLimitError } from '../auth/rate-limit/rate-limiter';
import type { Link } from '../links/link';
import { LinksRepository } from '../links/links.repository';
import { normaliseCode } from '../redirect/short-path';
import {
  LinkPasswordAttempts,
  LinkPasswordVerifier,
} from '../redirect/link-password/link-password.verifier';
import {
  LinkPasswordRequiredError,
  LinkPasswordWrongError,
} from '../redirect/link-password/link-password.errors';
import { legacyInput } from './legacy-input';
import { StatisticsPasswordError, StatisticsUnknownError } from './stats/legacy-stats.errors';

const BUDGET_HEADERS = ['X-RateLimit-Limit', 'X-RateLimit-Remaining', 'X-RateLimit-Reset'];

/** Finds the links whose statistics v0 serves: public ones, with their password if they have one. */
@Injectable()
export class PublicLinksService {
  constructor(
    private readonly lookup: LinksRepository,
    private readonly gate: LinkPasswordVerifier,
    private readonly attempts: LinkPasswordAttempts,
  ) {}

  /**
   * The link as the database holds it, closed or not; throws StatisticsUnknownError,
   * StatisticsPasswordError, or RateLimitError beyond the password throttle.
   *
   * @param code as Express has decoded it
   */
  async find(code: string, request: Request, response: Response): Promise<Link> {
    const alias = normaliseCode(encodeURIComponent(code));
    const link = alias === null ? null : await this.lookup.findByAlias(alias);
    if (link === null || link.privateStats) throw new StatisticsUnknownError();
    if (link.passwordHash !== null) await this.unlock(link, request, response);
    return link;
  }

  /** The answer tells the route's own budget, unless it is the password throttle that refuses. */
  private async unlock(link: Link, request: Request, response: Response): Promise<void> {
    const budget = BUDGET_HEADERS.map((name) => [name, response.getHeader(name)] as const);
    try {
      const password = legacyInput(request)('password');
      await this.gate.verify(link, this.attempts.of(password, request, response));
    } catch (error) {
      if (error instanceof RateLimitError) throw error;
      restore(response, budget);
      throw isPasswordRefusal(error) ? new StatisticsPasswordError(error) : error;
    }
    restore(response, budget);
  }
}

type Budget = readonly (readonly [string, number | string | string[] | undefined])[];

function restore(response: Response, budget: Budget): void {
  for (const [name, value] of budget) {
    if (value !== undefined) response.setHeader(name, value);
  }
}

function isPasswordRefusal(
  error: unknown,
): error is LinkPasswordRequiredError | LinkPasswordWrongError {
  return error instanceof LinkPasswordRequiredError || error instanceof LinkPasswordWrongError;
}

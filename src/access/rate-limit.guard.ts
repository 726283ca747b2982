import { ExecutionContext, Inject, Injectable } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import { getOptionsToken, ThrottlerGuard, type ThrottlerModuleOptions } from '@nestjs/throttler';
import type { Request, Response } from 'express';
import { ClientAddress } from '../platform/address/client-address';
import { WindowStore } from '../platform/windows/window-store';
import { callerOf } from './caller';
import { LimitName, limitRow } from './limits.table';
import { RATE_LIMIT } from './rate-limit.decorator';
import { RateLimiter } from './rate-limiter';

/** Chooses key and tier of a route's row; the limiter does the counting. */
@Injectable()
export class RateLimitGuard extends ThrottlerGuard {
  constructor(
    @Inject(getOptionsToken()) options: ThrottlerModuleOptions,
    store: WindowStore,
    reflector: Reflector,
    private readonly limiter: RateLimiter,
    private readonly address: ClientAddress,
  ) {
    super(options, store, reflector);
  }

  /** The table of limits stands in for the throttler's own list of throttlers. */
  override onModuleInit(): Promise<void> {
    return Promise.resolve();
  }

  override async canActivate(context: ExecutionContext): Promise<boolean> {
    const name = this.reflector.getAllAndOverride<LimitName | 'none' | undefined>(RATE_LIMIT, [
      context.getHandler(),
      context.getClass(),
    ]);
    if (name === undefined) throw new Error('A route without @RateLimit was reached');
    if (name === 'none') return true;
    const http = context.switchToHttp();
    await this.count(name, http.getRequest<Request>(), http.getResponse<Response>());
    return true;
  }

  private async count(name: LimitName, request: Request, response: Response): Promise<void> {
    const row = limitRow(name);
    const { userId } = callerOf(request);
    if (userId !== null && row.authenticated !== undefined) {
      return this.limiter.take(response, `${name}|user:${userId}`, row.authenticated);
    }
    const rules = row.anonymous ?? row.authenticated ?? [];
    const key = `${name}|ip:${this.address.of(request)}`;
    return this.limiter.take(response, key, rules, row.hint);
  }
}

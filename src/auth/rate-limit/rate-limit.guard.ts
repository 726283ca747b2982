import { ExecutionContext, Inject, Injectable } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import { getOptionsToken, ThrottlerGuard, type ThrottlerModuleOptions } from '@nestjs/throttler';
import type { Request, Response } from 'express';
import { ClientAddress } from '../../infrastructure/client-address/client-address';
import { RateLimitStore } from '../../infrastructure/rate-limit-store/rate-limit-store';
import { ACCESS_RULE, AccessRule } from '../access.decorator';
import { Caller, callerOf, rememberClient } from '../caller';
import { LimitName, limitRow } from './rate-limits';
import { RATE_LIMIT } from './rate-limits';
import { RateLimiter } from './rate-limiter';

/** Chooses key and tier of a route's row; the limiter does the counting. */
@Injectable()
export class RateLimitGuard extends ThrottlerGuard {
  constructor(
    @Inject(getOptionsToken()) options: ThrottlerModuleOptions,
    store: RateLimitStore,
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
    const routes = [context.getHandler(), context.getClass()] as const;
    const name = this.reflector.getAllAndOverride<LimitName | 'none' | undefined>(RATE_LIMIT, [
      ...routes,
    ]);
    if (name === undefined) throw new Error('A route without @RateLimit was reached');
    const http = context.switchToHttp();
    const request = http.getRequest<Request>();
    const client = this.address.client(request);
    rememberClient(request, client);
    if (name === 'none') return true;
    const access = this.reflector.getAllAndOverride<AccessRule | undefined>(ACCESS_RULE, [
      ...routes,
    ]);
    const row = limitRow(name);
    const account = row.authenticated && accountKey(callerOf(request), access);
    const response = http.getResponse<Response>();
    if (account !== undefined) {
      await this.limiter.take(response, `${name}|${account}`, row.authenticated ?? []);
    } else {
      const rules = row.anonymous ?? row.authenticated ?? [];
      await this.limiter.take(response, `${name}|ip:${client.key}`, rules, row.hint);
    }
    return true;
  }
}

/**
 * What a caller with a valid credential is counted by: the account, whichever credential it came
 * with. Where the route lets no key in, a key is counted for itself: whoever has got hold of it
 * must not be able to use up the calls with which its owner revokes it.
 */
export function accountKey(
  { principal }: Caller,
  access: AccessRule | undefined,
): string | undefined {
  if (principal === null) return undefined;
  const refused = access?.keys === false && principal.keyId !== undefined;
  return refused ? `key:${principal.keyId}` : `user:${principal.userId}`;
}

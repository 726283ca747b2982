import type { ServerResponse } from 'node:http';
import { CallHandler, ExecutionContext, Injectable, NestInterceptor } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import {
  InjectThrottlerOptions,
  ThrottlerGuard,
  type ThrottlerModuleOptions,
  type ThrottlerRequest,
} from '@nestjs/throttler';
import type { Request, Response } from 'express';
import { catchError, type Observable } from 'rxjs';
import { LimitMeter } from '../../infrastructure/meters/meters';
import {
  RateLimitStore,
  WindowRule,
  WindowState,
  WindowVerdict,
} from '../../infrastructure/rate-limit-store/rate-limit-store';
import { ClientAddress } from '../../infrastructure/client-address/client-address';
import { RateLimitError } from '../access.errors';
import {
  AccessRule,
  Caller,
  callerFromRequest,
  clientFromRequest,
  findAccessRule,
  rememberClient,
} from '../access';
import { isSafe } from '../cookies';
import {
  ACCOUNT_RATE_LIMIT,
  CREATING_LIMIT,
  LimitName,
  limitRow,
  RATE_LIMIT,
  READING_LIMITS,
  windowsForCaller,
} from './rate-limits';

export interface Counted {
  readonly key: string;
  readonly rules: readonly WindowRule[];
  readonly verdict: WindowVerdict;
}

interface RequestWindows {
  readonly counted: Counted[];
  /** Key of the windows that the headers describe. */
  announced: string;
}

@Injectable()
export class RateLimiter {
  private readonly requests = new WeakMap<ServerResponse, RequestWindows>();

  constructor(
    private readonly store: RateLimitStore,
    private readonly meter: LimitMeter,
  ) {}

  /**
   * Sets X-RateLimit-* of the shortest window.
   * @param cost amount to count in every window; counted in none if it exceeds one
   * @throws RateLimitError
   */
  async countRequest(
    response: ServerResponse,
    key: string,
    rules: readonly WindowRule[],
    hint?: string,
    cost = 1,
  ): Promise<void> {
    this.judge(
      response,
      { key, rules, verdict: await this.store.takeFromWindows(key, rules, cost) },
      hint,
    );
  }

  /** Sets the headers. Throws RateLimitError if the limit is exceeded. */
  judge(response: ServerResponse, counted: Counted, hint?: string): void {
    const { key, rules, verdict } = counted;
    announce(response, verdict.windows, rules);
    const request = this.requests.get(response) ?? { counted: [], announced: key };
    this.requests.set(response, request);
    request.announced = key;
    if (!verdict.allowed) throw this.refusal(key, verdict, hint);
    request.counted.push(counted);
  }

  /** Counts towards a limit other than the route's, or throws RateLimitError. */
  async count(key: string, rules: readonly WindowRule[], cost = 1): Promise<Counted> {
    const verdict = await this.store.takeFromWindows(key, rules, cost);
    if (!verdict.allowed) throw this.refusal(key, verdict);
    return { key, rules, verdict };
  }

  async giveBack({ key, rules, verdict }: Counted): Promise<void> {
    await this.store.giveBack(key, rules, verdict);
  }

  /** Refunds all windows for a request that another limit refuses. */
  async giveBackAll(response: ServerResponse): Promise<void> {
    const request = this.requests.get(response);
    for (const counted of request?.counted.splice(0) ?? []) {
      await this.giveBack(counted);
      if (request?.announced !== counted.key) continue;
      const { windows, cost } = counted.verdict;
      const before = windows.map((window) => ({ ...window, count: window.count - cost }));
      announce(response, before, counted.rules);
    }
  }

  private refusal(
    key: string,
    { windows, cost, now }: WindowVerdict,
    hint?: string,
  ): RateLimitError {
    // Keys start with the row name.
    this.meter.refused(key.slice(0, key.indexOf('|')));
    const ends = windows.filter((w) => w.count + cost > w.limit).map((w) => w.endsAt);
    const seconds = Math.max(1, Math.ceil((Math.max(...ends) - now) / 1000));
    return new RateLimitError(seconds, hint);
  }
}

/** Sets headers for the shortest window; among equal windows, the one with fewest requests left. */
function announce(
  response: ServerResponse,
  windows: readonly WindowState[],
  rules: readonly WindowRule[],
): void {
  const length = Math.min(...rules.map((rule) => rule.ms));
  const [shortest] = windows
    .filter((_, i) => rules[i]?.ms === length)
    .sort((a, b) => a.limit - a.count - (b.limit - b.count));
  if (shortest === undefined) return;
  response.setHeader('X-RateLimit-Limit', String(shortest.limit));
  response.setHeader('X-RateLimit-Remaining', String(Math.max(0, shortest.limit - shortest.count)));
  response.setHeader('X-RateLimit-Reset', String(Math.ceil(shortest.endsAt / 1000)));
}

/** Does not count a refused request in any of the route's windows (docs/contract.md#4.1). */
@Injectable()
export class RateLimitGuard extends ThrottlerGuard {
  constructor(
    @InjectThrottlerOptions() options: ThrottlerModuleOptions,
    private readonly store: RateLimitStore,
    reflector: Reflector,
    private readonly limiter: RateLimiter,
    private readonly address: ClientAddress,
  ) {
    super(options, store, reflector);
  }

  /** Also stores the request's client for handlers, even on routes without a limit. */
  protected override shouldSkip(context: ExecutionContext): Promise<boolean> {
    const name = this.findLimitName(context);
    const request = context.switchToHttp().getRequest<Request>();
    rememberClient(request, this.address.client(request));
    // The operator may disable the limit (LIMITS_FILE).
    const isLimited =
      name !== 'none' && windowsForCaller(limitRow(name), callerFromRequest(request)).length > 0;
    return Promise.resolve(!isLimited);
  }

  /** Returns the account if the row has a tier for accounts, otherwise the client. */
  protected override getTracker(request: Request, context?: ExecutionContext): Promise<string> {
    const name = context === undefined ? 'none' : this.findLimitName(context);
    const hasTier = name !== 'none' && limitRow(name).authenticated !== undefined;
    const rule = context && findAccessRule(this.reflector, context);
    const isReading =
      name !== CREATING_LIMIT && (isSafe(request) || (name !== 'none' && READING_LIMITS.has(name)));
    const account = hasTier ? accountKey(callerFromRequest(request), rule, isReading) : undefined;
    return Promise.resolve(account ?? `ip:${clientFromRequest(request).key}`);
  }

  /** The key starts with the row name, because routes with the same row share windows. */
  protected override generateKey(context: ExecutionContext, tracker: string): string {
    return `${this.findLimitName(context)}|${tracker}`;
  }

  protected override async handleRequest(throttlerRequest: ThrottlerRequest): Promise<boolean> {
    const { context, limit, ttl, blockDuration, throttler } = throttlerRequest;
    const http = context.switchToHttp();
    const request = http.getRequest<Request>();
    const tracker = await throttlerRequest.getTracker(request, context);
    const key = throttlerRequest.generateKey(context, tracker, throttler.name ?? '');
    const row = limitRow(this.findLimitName(context) as LimitName);
    const longer = windowsForCaller(row, callerFromRequest(request)).slice(1);
    const verdict = await this.store.increment(
      key,
      ttl,
      limit,
      blockDuration,
      throttler.name ?? '',
      longer,
    );
    const hint = tracker.startsWith('ip:') ? row.hint : undefined;
    const rules = [{ limit, ms: ttl }, ...longer];
    this.limiter.judge(http.getResponse<Response>(), { key, rules, verdict }, hint);
    return true;
  }

  private findLimitName(context: ExecutionContext): LimitName | 'none' {
    const name = this.reflector.getAllAndOverride<LimitName | 'none' | undefined>(RATE_LIMIT, [
      context.getHandler(),
      context.getClass(),
    ]);
    if (name === undefined) throw new Error('The route has no @RateLimit');
    const { principal } = callerFromRequest(context.switchToHttp().getRequest<Request>());
    const ofAccount = this.reflector.get<LimitName | undefined>(
      ACCOUNT_RATE_LIMIT,
      context.getHandler(),
    );
    return principal !== null && ofAccount !== undefined ? ofAccount : name;
  }
}

/**
 * Requests with API keys have separate counters on routes that refuse keys, so that a thief cannot
 * block revocation, and for reads, so that a script cannot lock the owner out (docs/contract.md#4.1).
 */
export function accountKey(
  { principal }: Caller,
  access: AccessRule | undefined,
  isReading: boolean,
): string | undefined {
  if (principal === null) return undefined;
  const { kind, keyId, userId } = principal;
  if (access?.keys === false && keyId !== undefined) return `key:${keyId}`;
  return isReading && kind === 'key' ? `keys:${userId}` : `user:${userId}`;
}

/** Refunds the route's windows if one of the handler's limits throws 429 (contract 4.1). */
@Injectable()
export class RateLimitInterceptor implements NestInterceptor {
  constructor(private readonly limiter: RateLimiter) {}

  intercept(context: ExecutionContext, next: CallHandler): Observable<unknown> {
    const response = context.switchToHttp().getResponse<Response>();
    return next.handle().pipe(
      catchError(async (error: unknown): Promise<never> => {
        if (error instanceof RateLimitError) await this.limiter.giveBackAll(response);
        throw error;
      }),
    );
  }
}

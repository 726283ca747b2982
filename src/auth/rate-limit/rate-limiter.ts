import type { ServerResponse } from 'node:http';
import { Injectable } from '@nestjs/common';
import { LimitMeter } from '../../infrastructure/meters/meters';
import {
  RateLimitStore,
  WindowRule,
  WindowState,
  WindowVerdict,
} from '../../infrastructure/rate-limit-store/rate-limit-store';
import { RateLimitError } from '../access.errors';

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

import { ThrottlerStorage } from '@nestjs/throttler';

/** A fixed window allows `limit` requests within `ms` of its first request. */
export interface WindowRule {
  readonly limit: number;
  readonly ms: number;
  /** Additional part of the window's key, such as a link. */
  readonly part?: string;
}

export interface WindowState {
  readonly limit: number;
  readonly count: number;
  /** Milliseconds since 1970-01-01 UTC. */
  readonly endsAt: number;
}

/** Windows are in rule order. */
export interface WindowVerdict {
  readonly allowed: boolean;
  readonly windows: readonly WindowState[];
  /** Amount that is counted in each window if the request is allowed. */
  readonly cost: number;
  /** Time according to the store's clock, in milliseconds since 1970-01-01 UTC. */
  readonly now: number;
}

/**
 * Fixed windows (docs/contract.md#4.1). `takeFromWindows` counts the cost in all of a key's
 * windows, or in none if the cost exceeds any of them. A key begins with its limit's name; a
 * client's key is `limit|ip:…`.
 */
export abstract class RateLimitStore implements ThrottlerStorage {
  abstract takeFromWindows(
    key: string,
    rules: readonly WindowRule[],
    cost?: number,
  ): Promise<WindowVerdict>;

  /** Subtracts the cost from windows that have not ended, if the request is refused after all. */
  abstract giveBack(
    key: string,
    rules: readonly WindowRule[],
    verdict: WindowVerdict,
  ): Promise<void>;

  /** Checks all the route's windows, but returns only the shortest window's record. */
  async increment(
    key: string,
    ttl: number,
    limit: number,
    _blockDuration: number,
    _throttler: string,
    longer: readonly WindowRule[] = [],
  ): Promise<WindowVerdict & Awaited<ReturnType<ThrottlerStorage['increment']>>> {
    const verdict = await this.takeFromWindows(key, [{ limit, ms: ttl }, ...longer]);
    const window = verdict.windows[0];
    const seconds = Math.ceil(Math.max(0, (window?.endsAt ?? 0) - verdict.now) / 1000);
    return {
      ...verdict,
      totalHits: (window?.count ?? 0) + (verdict.allowed ? 0 : 1),
      timeToExpire: seconds,
      isBlocked: !verdict.allowed,
      timeToBlockExpire: verdict.allowed ? 0 : seconds,
    };
  }
}

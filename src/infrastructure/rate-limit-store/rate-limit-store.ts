import { ThrottlerStorage } from '@nestjs/throttler';

/** A fixed window: at most `limit` counted requests within `ms` of the first one. */
export interface WindowRule {
  readonly limit: number;
  readonly ms: number;
  /** Second part of the window's key, e.g. a link. */
  readonly part?: string;
}

export interface WindowState {
  readonly limit: number;
  readonly count: number;
  /** Milliseconds since 1970-01-01 UTC. */
  readonly endsAt: number;
}

/** Windows are in the order of the rules. */
export interface WindowVerdict {
  readonly allowed: boolean;
  readonly windows: readonly WindowState[];
  /** Amount counted in each window if allowed. */
  readonly cost: number;
  /** Milliseconds since 1970-01-01 UTC, by the store's clock. */
  readonly now: number;
}

/**
 * Fixed windows (docs/contract.md#4.1). `takeFromWindows` counts the whole cost in all windows
 * of a key or, if any is full, in none. Keys begin with their row's name; client keys are
 * `row|ip:…`.
 */
export abstract class RateLimitStore implements ThrottlerStorage {
  abstract takeFromWindows(
    key: string,
    rules: readonly WindowRule[],
    cost?: number,
  ): Promise<WindowVerdict>;

  /** Gives back to windows that are still open, e.g. when another limit refuses the request. */
  abstract giveBack(
    key: string,
    rules: readonly WindowRule[],
    verdict: WindowVerdict,
  ): Promise<void>;

  /** Checks the longer windows, too, but returns the record of the route's shortest window. */
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

import { ThrottlerStorage } from '@nestjs/throttler';

/** A fixed window: at most `limit` counted requests within `ms` of the first one. */
export interface WindowRule {
  readonly limit: number;
  readonly ms: number;
  /** Second part of the window's key, e.g. a link; several of one key share none. */
  readonly part?: string;
}

/** State of one window after a request was judged. */
export interface WindowState {
  readonly limit: number;
  readonly count: number;
  /** Milliseconds since 1970-01-01 UTC at which the window ends. */
  readonly endsAt: number;
}

/** Result of `takeFromWindows`: whether the request is allowed, and every window in the order asked. */
export interface WindowVerdict {
  readonly allowed: boolean;
  readonly windows: readonly WindowState[];
  /** Count of an admitted request in each window. */
  readonly cost: number;
  /** Milliseconds since 1970-01-01 UTC by the clock that the windows end by. */
  readonly now: number;
}

/**
 * Fixed windows (docs/contract.md#4.1). `takeFromWindows` judges all windows of a key together: the request is
 * counted in each of them with its whole cost, or, when one has no room for that, in none. Keys begin with the name of their
 * row; those of client addresses read `row|ip:…`. Implementations: in this process,
 * in the primary for worker processes, in Redis for several machines.
 */
export abstract class RateLimitStore implements ThrottlerStorage {
  abstract takeFromWindows(
    key: string,
    rules: readonly WindowRule[],
    cost?: number,
  ): Promise<WindowVerdict>;

  /**
   * Takes back what `takeFromWindows` has counted, as far as the windows of its verdict are still open: for a
   * request that is refused by another limit, or that turns out not to be of the counted kind.
   */
  abstract giveBack(
    key: string,
    rules: readonly WindowRule[],
    verdict: WindowVerdict,
  ): Promise<void>;

  /**
   * Called by the throttler: judges the route's shortest window and, together with it, its longer
   * ones. The throttler's record is of the shortest. A window that is full blocks until its end,
   * so that there is no further time to block for.
   */
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

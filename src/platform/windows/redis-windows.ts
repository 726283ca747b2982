import type { Redis } from 'ioredis';
import { AppLog } from '../../core/log';
import { GIVE_BACK_SCRIPT, TAKE_SCRIPT } from './take.lua';
import { WindowRule, RateLimitStore, WindowVerdict } from './window-store';

/** How long Redis is left alone after it has failed; meanwhile nobody waits for it. */
const PAUSE_MS = 1000;

/**
 * Windows in Redis, shared by all machines: one script judges all windows of a request and counts
 * it in all or none. While Redis is away this machine counts for itself, which is said once.
 */
export class RedisRateLimitStore extends RateLimitStore {
  private away = false;
  private askAgainAt = 0;

  constructor(
    private readonly redis: Redis,
    private readonly fallback: RateLimitStore,
    private readonly log: AppLog,
  ) {
    super();
  }

  async take(key: string, rules: readonly WindowRule[]): Promise<WindowVerdict> {
    if (this.away && performance.now() < this.askAgainAt) return this.fallback.take(key, rules);
    try {
      const verdict = await this.ask(key, rules);
      this.note(false);
      return verdict;
    } catch (error) {
      this.note(true, error);
      return this.fallback.take(key, rules);
    }
  }

  async giveBack(key: string, rules: readonly WindowRule[], verdict: WindowVerdict): Promise<void> {
    if (this.away) return this.fallback.giveBack(key, rules, verdict);
    const keys = redisKeys(key, rules);
    const ends = verdict.windows.map((window) => window.endsAt);
    try {
      await this.redis.eval(GIVE_BACK_SCRIPT, keys.length, ...keys, ...ends);
    } catch (error) {
      this.note(true, error);
    }
  }

  private async ask(key: string, rules: readonly WindowRule[]): Promise<WindowVerdict> {
    const keys = redisKeys(key, rules);
    const limits = rules.flatMap((rule) => [rule.limit, rule.ms]);
    const answer = await this.redis.eval(TAKE_SCRIPT, keys.length, ...keys, ...limits);
    const [now, allowed, ...states] = (answer as unknown[]).map(Number);
    if (now === undefined || states.length !== 2 * rules.length) {
      throw new Error('Redis answered in another form');
    }
    const windows = rules.map((rule, i) => ({
      limit: rule.limit,
      count: states[2 * i] ?? 0,
      endsAt: states[2 * i + 1] ?? 0,
    }));
    return { allowed: allowed === 1, windows, now };
  }

  private note(away: boolean, error?: unknown): void {
    if (away) this.askAgainAt = performance.now() + PAUSE_MS;
    if (away === this.away) return;
    this.away = away;
    if (away) this.log.warn('Redis is away: this machine counts for itself', { err: error });
    else this.log.info('Redis is back: limits are shared again');
  }
}

/** One hash tag a request: all its windows lie in one slot of a cluster. */
function redisKeys(key: string, rules: readonly WindowRule[]): string[] {
  return rules.map(({ ms, of }) =>
    of === undefined ? `curtail:window:{${key}}:${ms}` : `curtail:window:{${key}}:${of}:${ms}`,
  );
}

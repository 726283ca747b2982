import type { Redis } from 'ioredis';
import { AppLog } from '../../common/log';
import { RateLimitStore, WindowRule, WindowVerdict } from './rate-limit-store';

/**
 * Runs atomically, by the Redis server's clock. KEYS: one per window. ARGV: the cost, then
 * limit and ms of each window. Returns { now, allowed, count and end of each window }.
 */
export const TAKE_SCRIPT = `
local t = redis.call('TIME')
local now = t[1] * 1000 + math.floor(t[2] / 1000)
local cost = tonumber(ARGV[1])
local counts, ends, allowed = {}, {}, 1
for i = 1, #KEYS do
  local found = redis.call('HMGET', KEYS[i], 'n', 'e')
  local count, endsAt = tonumber(found[1]) or 0, tonumber(found[2]) or 0
  local length = tonumber(ARGV[2 * i + 1])
  if endsAt <= now or endsAt > now + length then
    count, endsAt = 0, now + length
  end
  if count + cost > tonumber(ARGV[2 * i]) then allowed = 0 end
  counts[i], ends[i] = count, endsAt
end
local answer = { now, allowed }
for i = 1, #KEYS do
  if allowed == 1 then
    counts[i] = counts[i] + cost
    redis.call('HSET', KEYS[i], 'n', counts[i], 'e', ends[i])
    redis.call('PEXPIREAT', KEYS[i], ends[i])
  end
  answer[#answer + 1] = counts[i]
  answer[#answer + 1] = ends[i]
end
return answer
`;

/**
 * Subtracts a cost. KEYS: one per window. ARGV: the cost, then the end of each window as returned
 * when the cost was counted; a window with another end is newer and stays unchanged.
 */
export const GIVE_BACK_SCRIPT = `
local cost = tonumber(ARGV[1])
for i = 1, #KEYS do
  local found = redis.call('HMGET', KEYS[i], 'n', 'e')
  local count = tonumber(found[1]) or 0
  if count > 0 and tonumber(found[2]) == tonumber(ARGV[i + 1]) then
    if count <= cost then
      redis.call('DEL', KEYS[i])
    else
      redis.call('HINCRBY', KEYS[i], 'n', -cost)
    end
  end
end
return 1
`;

/** After a failure, Redis is not used for this long, so that requests do not wait for it. */
const REDIS_PAUSE_MS = 1000;

/** Counts for all machines; while Redis is down, each machine counts separately. */
export class RedisRateLimitStore extends RateLimitStore {
  private away = false;
  private told = false;
  private askAgainAt = 0;

  constructor(
    private readonly redis: Redis,
    private readonly fallback: RateLimitStore,
    private readonly log: AppLog,
  ) {
    super();
    redis.on('ready', () => (this.askAgainAt = 0));
  }

  async takeFromWindows(
    key: string,
    rules: readonly WindowRule[],
    cost = 1,
  ): Promise<WindowVerdict> {
    if (this.away && performance.now() < this.askAgainAt) {
      return this.fallback.takeFromWindows(key, rules, cost);
    }
    try {
      const verdict = await this.ask(key, rules, cost);
      this.note(false);
      return verdict;
    } catch (error) {
      this.note(true, error);
      return this.fallback.takeFromWindows(key, rules, cost);
    }
  }

  async giveBack(key: string, rules: readonly WindowRule[], verdict: WindowVerdict): Promise<void> {
    if (this.away) return this.fallback.giveBack(key, rules, verdict);
    const keys = redisKeys(key, rules);
    const ends = verdict.windows.map((window) => window.endsAt);
    try {
      await this.redis.eval(GIVE_BACK_SCRIPT, keys.length, ...keys, verdict.cost, ...ends);
    } catch (error) {
      this.note(true, error);
    }
  }

  private async ask(
    key: string,
    rules: readonly WindowRule[],
    cost: number,
  ): Promise<WindowVerdict> {
    const keys = redisKeys(key, rules);
    const limits = rules.flatMap((rule) => [rule.limit, rule.ms]);
    const answer = await this.redis.eval(TAKE_SCRIPT, keys.length, ...keys, cost, ...limits);
    const [now, allowed, ...states] = (answer as unknown[]).map(Number);
    if (now === undefined || states.length !== 2 * rules.length) {
      throw new Error('Redis returned an unexpected reply');
    }
    const windows = rules.map((rule, i) => ({
      limit: rule.limit,
      count: states[2 * i] ?? 0,
      endsAt: states[2 * i + 1] ?? 0,
    }));
    return { allowed: allowed === 1, windows, cost, now };
  }

  private note(away: boolean, error?: unknown): void {
    if (away) this.askAgainAt = performance.now() + REDIS_PAUSE_MS;
    if (away === this.away) return;
    this.away = away;
    // RedisConnection already logs a lost connection.
    if (away && this.redis.status === 'ready') {
      this.told = true;
      this.log.warn(
        'Redis could not count rate limits; this machine counts separately until Redis works again',
        {
          reason: error instanceof Error ? error.message : String(error),
        },
      );
    } else if (this.told) {
      this.told = false;
      this.log.info('Redis is counting rate limits again; all machines share their limits');
    }
  }
}

/** A request's keys share a hash tag, so that they are in the same cluster slot. */
function redisKeys(key: string, rules: readonly WindowRule[]): string[] {
  return rules.map(({ ms, part }) =>
    part === undefined ? `curtail:window:{${key}}:${ms}` : `curtail:window:{${key}}:${part}:${ms}`,
  );
}

import type { ServerResponse } from 'node:http';
import { HOUR_MS, MINUTE_MS } from '../../common/time';
import { LimitMeter } from '../../infrastructure/meters/meters';
import { MemoryRateLimitStore } from '../../infrastructure/rate-limit-store/memory.rate-limit-store';
import { RateLimiter } from './rate-limiter';
import { RateLimitError } from '../access.errors';

const TEN = { limit: 10, ms: MINUTE_MS };
const TWELVE = { limit: 12, ms: HOUR_MS };

describe('a request that counts several items', () => {
  let now: number;
  let limiter: RateLimiter;
  let headers: Record<string, string>;
  let response: ServerResponse;

  beforeEach(() => {
    now = 0;
    const store = new MemoryRateLimitStore(() => now, { clients: 16, others: 64 });
    limiter = new RateLimiter(store, new LimitMeter());
    headers = {};
    const setHeader = (name: string, value: string) => (headers[name] = value);
    response = { setHeader } as unknown as ServerResponse;
  });

  const take = (cost: number) =>
    limiter.countRequest(response, 'row|user:1', [TEN, TWELVE], undefined, cost);

  it('is rejected until the end of the window that cannot accept all items', async () => {
    await take(8);
    expect(headers['X-RateLimit-Remaining']).toBe('2');
    await expect(take(3)).rejects.toMatchObject({ headers: { 'Retry-After': '60' } });
    now = MINUTE_MS;
    await expect(take(5)).rejects.toMatchObject({ headers: { 'Retry-After': '3540' } });
    await take(4);
    expect(headers['X-RateLimit-Remaining']).toBe('6');
  });

  it('is rejected for the length of the window if the number of items exceeds the limit', async () => {
    await expect(take(11)).rejects.toBeInstanceOf(RateLimitError);
    await expect(take(11)).rejects.toMatchObject({ headers: { 'Retry-After': '60' } });
  });

  it('is fully refunded if another limit rejects it', async () => {
    await take(8);
    await limiter.giveBackAll(response);
    expect(headers['X-RateLimit-Remaining']).toBe('10');
    await take(10);
    expect(headers['X-RateLimit-Remaining']).toBe('0');
  });
});

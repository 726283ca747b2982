import { Redis } from 'ioredis';
import { HOUR_MS, MINUTE_MS } from '../../../src/common/time';
import { MemoryRateLimitStore } from '../../../src/infrastructure/rate-limit-store/memory.rate-limit-store';
import { RedisRateLimitStore } from '../../../src/infrastructure/rate-limit-store/redis.rate-limit-store';
import { QuietLogger } from '../../support/shared/quiet-logger';
import { redisInstalled, TestRedis } from '../../support/redis';

const onRedis = redisInstalled ? describe : describe.skip;
const TEN = { limit: 10, ms: MINUTE_MS };
const TWELVE = { limit: 12, ms: HOUR_MS };

onRedis('A cost in the windows of Redis (needs redis-server)', () => {
  let redis: TestRedis;
  let clients: Redis[];
  let machines: RedisRateLimitStore[];

  beforeAll(async () => {
    redis = await TestRedis.start();
    clients = [new Redis(redis.url), new Redis(redis.url)];
    machines = clients.map(
      (client) => new RedisRateLimitStore(client, new MemoryRateLimitStore(), new QuietLogger()),
    );
  });
  afterAll(async () => {
    for (const client of clients) client.disconnect();
    await redis.stop();
  });

  const take = (key: string, cost: number, machine = 0) =>
    machines[machine]!.takeFromWindows(`row|user:${key}`, [TEN, TWELVE], cost);

  it('is counted in full in all windows, or in none', async () => {
    expect(await take('a', 4)).toMatchObject({
      allowed: true,
      windows: [{ count: 4 }, { count: 4 }],
    });
    expect(await take('a', 7)).toMatchObject({
      allowed: false,
      windows: [{ count: 4 }, { count: 4 }],
    });
    expect(await take('a', 6)).toMatchObject({
      allowed: true,
      windows: [{ count: 10 }, { count: 10 }],
    });
    // Simulates the passing of a minute: the longer window has room for only two more.
    await clients[0]!.del(`curtail:window:{row|user:a}:${MINUTE_MS}`);
    expect(await take('a', 3)).toMatchObject({
      allowed: false,
      windows: [{ count: 0 }, { count: 10 }],
    });
    expect(await take('a', 2)).toMatchObject({
      allowed: true,
      windows: [{ count: 2 }, { count: 12 }],
    });
  });

  it('is counted exactly for concurrent requests on two machines', async () => {
    const verdicts = await Promise.all(Array.from({ length: 20 }, (_, i) => take('b', 3, i % 2)));
    expect(verdicts.filter(({ allowed }) => allowed)).toHaveLength(3);
    expect(await take('b', 2)).toMatchObject({
      allowed: false,
      windows: [{ count: 9 }, { count: 9 }],
    });
  });

  it('is refunded in full, and leaves no empty window', async () => {
    const first = await take('c', 3);
    const second = await take('c', 5);
    const rules = [TEN, TWELVE];
    await machines[1]!.giveBack('row|user:c', rules, second);
    expect(await take('c', 8)).toMatchObject({
      allowed: false,
      windows: [{ count: 3 }, { count: 3 }],
    });
    await machines[1]!.giveBack('row|user:c', rules, first);
    expect(await clients[0]!.keys('curtail:window:{row|user:c}*')).toEqual([]);
  });
});

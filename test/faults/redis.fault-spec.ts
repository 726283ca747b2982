import { setTimeout as sleep } from 'node:timers/promises';
import { aLink } from '../support/factories/links';
import { Traffic } from '../support/traffic';
import { becomes, health } from '../support/health';
import { expectExact } from '../support/exact-clicks';
import { redisInstalled, TestRedis } from '../support/redis';
import { startService } from '../support/service';

jest.setTimeout(120_000);

(redisInstalled ? describe : describe.skip)('a Redis that is away (needs redis-server)', () => {
  it.each([
    ['was stopped', (redis: TestRedis) => redis.stop(), (redis: TestRedis) => redis.resume()],
    [
      'hangs',
      (redis: TestRedis) => {
        redis.freeze();
        return Promise.resolve();
      },
      (redis: TestRedis) => {
        redis.thaw();
        return Promise.resolve();
      },
    ],
  ])('costs no click, no link and no answer when it %s', async (_, leave, comeBack) => {
    const redis = await TestRedis.start();
    const service = await startService({ env: { REDIS_URL: redis.url, WEB_CONCURRENCY: '2' } });
    const traffic = new Traffic(service.port, await aLink(service));
    try {
      await sleep(500);
      await leave(redis);
      await becomes(service, 'degraded');
      expect(await health(service)).toMatchObject({
        code: 200,
        checks: { database: 'ok', cache: 'error' },
      });
      const [redirected, made] = [traffic.redirected.size, traffic.made.size];
      await sleep(3000);
      expect(traffic.redirected.size).toBeGreaterThan(redirected);
      expect(traffic.made.size).toBeGreaterThan(made);
      await comeBack(redis);
      await becomes(service, 'healthy');
      await sleep(500);
      await expectExact(service, traffic);
      expect(new Set(traffic.statuses.keys())).toEqual(new Set([201, 302]));
    } finally {
      redis.thaw();
      await traffic.stop();
      await service.stop();
      await redis.stop();
    }
  });
});

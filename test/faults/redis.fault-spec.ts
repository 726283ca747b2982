import { aLink } from '../support/factories/links';
import { Traffic } from '../support/traffic';
import { becomes } from '../support/health';
import { expectExact } from '../support/exact-clicks';
import { redisInstalled, TestRedis } from '../support/redis';
import { eventually, startService } from '../support/service';

(redisInstalled ? describe : describe.skip)('a Redis that is down (needs redis-server)', () => {
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
  ])('loses no click, no link and no response if it %s', async (_, leave, comeBack) => {
    const redis = await TestRedis.start();
    const service = await startService({ env: { REDIS_URL: redis.url, WEB_CONCURRENCY: '2' } });
    const traffic = new Traffic(service.port, await aLink(service));
    try {
      await traffic.moreRedirects(50);
      await leave(redis);
      // Workers cache their health for a second, so the test waits until one reports the outage.
      expect(await becomes(service, 'degraded')).toMatchObject({
        code: 200,
        checks: { database: 'ok', cache: 'error' },
      });
      const made = traffic.made.size;
      await traffic.moreRedirects(100);
      await eventually('links are made meanwhile', () => traffic.made.size > made);
      await comeBack(redis);
      await becomes(service, 'healthy');
      await traffic.moreRedirects(50);
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

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Redis } from 'ioredis';
import request from 'supertest';
import { anAddress } from '../../support/http';
import { expectSeparateReadCounters } from '../../support/limits';
import { eventually } from '../../support/shared/eventually';
import { redisInstalled, TestRedis } from '../../support/redis';
import { type Service, startService } from '../../support/service';

const onRedis = redisInstalled ? describe : describe.skip;

onRedis('Limits of two services on one Redis (needs redis-server)', () => {
  let redis: TestRedis;
  let services: Service[];
  beforeAll(async () => {
    redis = await TestRedis.start();
    const env = { REDIS_URL: redis.url };
    const first = await startService({ env });
    services = [first, await startService({ env, database: first.database })];
  });
  afterAll(async () => {
    await Promise.all(services.map((service) => service.stop()));
    await redis.stop();
  });

  /** POST /auth/login allows five a minute per address; an empty body counts and is cheap. */
  const login = (service: Service, address: string) =>
    request(service.url).post('/auth/login').set('X-Forwarded-For', address).send({});
  const health = async (service: Service) =>
    (await request(service.url).get('/health')).body as { checks: { cache: string } };

  it('are exact across both machines, even for concurrent requests', async () => {
    const address = anAddress();
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, i) => login(services[i % 2]!, address)),
    );
    const statuses = answers.map((answer) => answer.status);
    expect(statuses.filter((status) => status === 422)).toHaveLength(5);
    expect(statuses.filter((status) => status === 429)).toHaveLength(15);
    const remaining = answers
      .filter((answer) => answer.status === 422)
      .map((answer) => answer.get('X-RateLimit-Remaining'));
    expect(remaining.sort()).toEqual(['0', '1', '2', '3', '4']);
    const resets = new Set(answers.map((answer) => answer.get('X-RateLimit-Reset')));
    expect(resets.size).toBe(1);
    for (const answer of answers.filter(({ status }) => status === 429)) {
      expect(Number(answer.get('Retry-After'))).toBeGreaterThan(0);
      expect(Number(answer.get('Retry-After'))).toBeLessThanOrEqual(60);
    }
  });

  it('refund requests that another limit rejects, on either machine', async () => {
    const [one, two] = services as [Service, Service];
    const body = { long_url: 'https://example.com/', password: 'Geheim1@x' };
    const made = await request(one.url)
      .post('/api/v1/shorten')
      .set('X-Forwarded-For', anAddress())
      .send(body);
    const address = anAddress();
    const ask = (service: Service, fields: object) =>
      request(service.url)
        .post(`/api/v1/public/stats/${made.body.alias as string}`)
        .set('X-Forwarded-For', address)
        .send(fields);
    for (let i = 0; i < 10; i++) {
      expect((await ask(i % 2 === 0 ? one : two, { password: 'wrong' })).status).toBe(401);
    }
    for (const service of [one, two, one]) {
      expect((await ask(service, { password: 'wrong' })).status).toBe(429);
    }
    const last = await ask(two, {});
    expect([last.status, last.get('X-RateLimit-Remaining')]).toEqual([401, '9']);
  });

  it('count reads by keys and sessions separately, and writes together', async () => {
    await expectSeparateReadCounters(services[0]!);
  });

  it('are counted per machine while Redis is unreachable, and shared again afterwards', async () => {
    const [one, two] = services as [Service, Service];
    expect((await health(one)).checks.cache).toBe('ok');
    await redis.stop();
    const address = anAddress();
    const away = [];
    for (let i = 0; i < 6; i++) away.push((await login(one, address)).status);
    expect(away).toEqual([422, 422, 422, 422, 422, 429]);
    expect((await login(two, address)).status).toBe(422);
    // /health caches its result for a second.
    await eventually(async () => (await health(one)).checks.cache === 'error');
    expect(one.log().match(/this machine counts rate limits on its own/g)).toHaveLength(1);
    await redis.resume();
    await eventually(() =>
      [one, two].every((service) => service.log().includes('Redis is reachable again')),
    );
    const shared = anAddress();
    const back = [];
    for (let i = 0; i < 6; i++) back.push((await login(services[i % 2]!, shared)).status);
    expect(back).toEqual([422, 422, 422, 422, 422, 429]);
  });

  it('do not delay responses while Redis hangs', async () => {
    redis.freeze();
    try {
      const address = anAddress();
      for (let i = 0; i < 3; i++) expect((await login(services[0]!, address)).status).toBe(422);
      await eventually(async () => (await health(services[0]!)).checks.cache === 'error');
    } finally {
      redis.thaw();
    }
  });
});

onRedis('Redis on a Unix socket (needs redis-server)', () => {
  it('use the configured database, with a password', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'curtail-redis-'));
    const path = join(folder, 'redis.sock');
    const redis = await TestRedis.onSocket(path, 'p/w@#%1');
    const file = join(folder, 'redis-url');
    writeFileSync(file, `${redis.url}?db=3\n`);
    const service = await startService({ env: { REDIS_URL_FILE: file } });
    const client = new Redis(path, { password: 'p/w@#%1', db: 3 });
    try {
      const health = await request(service.url).get('/health');
      expect(health.body).toMatchObject({ status: 'healthy', checks: { cache: 'ok' } });
      await request(service.url).post('/auth/login').set('X-Forwarded-For', '192.0.2.9').send({});
      expect(await client.keys('*auth.login*192.0.2.9*')).not.toEqual([]);
      expect(await client.pubsub('CHANNELS')).toContain('curtail:bus');
      await redis.stop();
      await eventually('it says so', () => service.log().includes('Redis is not reachable'));
      expect(service.log()).toContain(`"server":"${path}"`);
      expect(service.log()).not.toContain('p/w@');
      expect(service.log()).not.toContain(encodeURIComponent('p/w@#%1'));
    } finally {
      client.disconnect();
      await service.stop();
      await redis.stop();
      rmSync(folder, { recursive: true });
    }
  });
});

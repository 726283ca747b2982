import { readFileSync } from 'node:fs';
import { type MadeLink } from '../../support/factories/links';
import { visit } from '../../support/http';
import { ApiClient } from '../../support/api-client';
import { redisInstalled, TestRedis } from '../../support/redis';
import { eventually, startService, type Service } from '../../support/service';

/** Well below 30 s, after which caches notice a change even if its message was lost. */
const SOON_MS = 15_000;

/**
 * All kinds of changes, with their effect on visitors (docs/contract.md#6.3, docs/contract.md#7).
 */
const CHANGES: Record<string, (owner: ApiClient, link: MadeLink) => Promise<() => Expected>> = {
  destination: async (owner, { id, alias }) => {
    await owner.update(id, { long_url: 'https://moved.test/' });
    return () => ({ alias, status: 302, location: 'https://moved.test/' });
  },
  alias: async (owner, { id, alias }) => {
    await owner.update(id, { alias: `n${alias}` });
    return () => ({ alias, status: 404 });
  },
  'new alias': async (owner, { id, alias }) => {
    await owner.update(id, { alias: `n${alias}` });
    return () => ({ alias: `n${alias}`, status: 302 });
  },
  password: async (owner, { id, alias }) => {
    await owner.update(id, { password: 'secret1@' });
    return () => ({ alias, status: 401 });
  },
  'bot rule': async (owner, { id, alias }) => {
    await owner.update(id, { block_bots: true });
    return () => ({ alias, status: 403, headers: { 'User-Agent': 'Googlebot/2.1' } });
  },
  status: async (owner, { id, alias }) => {
    await owner.setStatus(id, 'INACTIVE');
    return () => ({ alias, status: 410 });
  },
  deletion: async (owner, { id, alias }) => {
    await owner.remove(id);
    return () => ({ alias, status: 404 });
  },
};

interface Expected {
  alias: string;
  status: number;
  location?: string;
  headers?: Record<string, string>;
}

const sees = async (service: Service, wanted: Expected): Promise<boolean> => {
  const { status, headers } = await visit(service, wanted.alias, wanted.headers);
  const there = wanted.location === undefined || headers.location === wanted.location;
  return status === wanted.status && there;
};

const workersOf = (service: Service): number[] => {
  const pid = String(service.process.pid);
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ');
  return children
    .filter((child) => readFileSync(`/proc/${child}/cmdline`, 'utf8').includes('main.js'))
    .map(Number);
};

describe('a change with two workers', () => {
  let service: Service;
  let owner: ApiClient;

  beforeAll(async () => {
    service = await startService({ env: { WEB_CONCURRENCY: '2' } });
    owner = await ApiClient.on(service);
  });
  afterAll(() => service.stop());

  it.each(Object.keys(CHANGES))(
    'of the %s takes effect in both workers before the response',
    async (kind) => {
      const link = await owner.aLink();
      // Separate connections, which the primary distributes among the workers.
      await Promise.all(Array.from({ length: 8 }, () => visit(service, link.alias)));
      const expected = await CHANGES[kind]!(owner, link);
      const seen = await Promise.all(Array.from({ length: 8 }, () => sees(service, expected())));
      expect(seen).toEqual(seen.map(() => true));
    },
  );

  it('of the expiry takes effect in both workers before the response', async () => {
    const link = await owner.aLink({ expire_after: Math.floor(Date.now() / 1000) + 3600 });
    await Promise.all(Array.from({ length: 8 }, () => visit(service, link.alias)));
    let soon = 0;
    // The change is refused if it arrives after the expiry.
    await eventually('the expiry is changed', async () => {
      soon = Math.floor(Date.now() / 1000) + 2;
      return (await owner.update(link.id, { expire_after: soon })).status === 200;
    });
    await eventually('the link has expired', () => Date.now() >= soon * 1000);
    const statuses = await Promise.all(
      Array.from({ length: 8 }, async () => (await visit(service, link.alias)).status),
    );
    expect(statuses).toEqual(statuses.map(() => 410));
  });

  it('includes a new link immediately in both workers, even if its alias was unknown before', async () => {
    for (let i = 0; i < 5; i++) {
      const alias = `fresh-${i}`;
      await Promise.all(Array.from({ length: 4 }, () => visit(service, alias)));
      await owner.aLink({ alias });
      const seen = await Promise.all(
        Array.from({ length: 4 }, async () => (await visit(service, alias)).status),
      );
      expect(seen).toEqual([302, 302, 302, 302]);
    }
  });

  it('is not delayed if a worker exits, and reaches its replacement', async () => {
    const link = await owner.aLink();
    await Promise.all(Array.from({ length: 8 }, () => visit(service, link.alias)));
    const workers = workersOf(service);
    expect(workers).toHaveLength(2);
    process.kill(workers[0]!, 'SIGKILL');
    // Connections of the dead worker are closed, so it receives no further requests.
    await eventually('the primary knows', () => /web worker process ended/.test(service.log()));
    await owner.update(link.id, { long_url: 'https://moved.test/' });
    await eventually('there are two again', () => {
      const now = workersOf(service);
      return now.length === 2 && !now.includes(workers[0]!);
    });
    for (const long_url of ['https://moved-on.test/', 'https://moved-off.test/']) {
      await Promise.all(Array.from({ length: 8 }, () => visit(service, link.alias)));
      await owner.update(link.id, { long_url });
      const seen = await Promise.all(
        Array.from({ length: 8 }, () => {
          return sees(service, { alias: link.alias, status: 302, location: long_url });
        }),
      );
      expect(seen).toEqual(seen.map(() => true));
    }
  });

  it('uses common limits for both workers', async () => {
    const another = await ApiClient.on(service);
    const answers = await Promise.all(Array.from({ length: 70 }, () => another.list()));
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(60);
    expect(answers.filter(({ status }) => status === 429)).toHaveLength(10);
  });
});

(redisInstalled ? describe : describe.skip)('a change with two services on one Redis', () => {
  let redis: TestRedis;
  let here: Service;
  let there: Service;
  let owner: ApiClient;

  beforeAll(async () => {
    redis = await TestRedis.start();
    const env = { REDIS_URL: redis.url };
    here = await startService({ env });
    there = await startService({ env, database: here.database });
    owner = await ApiClient.on(here);
  });
  afterAll(async () => {
    redis.thaw();
    await Promise.all([here.stop(), there.stop()]);
    await redis.stop();
  });

  const expectEffect = async (kind: string): Promise<void> => {
    const link = await owner.aLink();
    expect((await visit(there, link.alias)).status).toBe(302);
    const expected = await CHANGES[kind]!(owner, link);
    await eventually(`${kind} there`, () => sees(there, expected()), SOON_MS);
    expect(await sees(here, expected())).toBe(true);
  };

  it.each(Object.keys(CHANGES))('of the %s takes effect on the other machine', (kind) =>
    expectEffect(kind),
  );

  it('includes a new link there immediately, even if its alias was unknown before', async () => {
    expect((await visit(there, 'not-yet')).status).toBe(404);
    await owner.aLink({ alias: 'not-yet' });
    expect((await visit(there, 'not-yet')).status).toBe(302);
  });

  it('takes effect while Redis hangs, is unreachable and is back, and redirects continue', async () => {
    redis.freeze();
    await expectEffect('destination');
    redis.thaw();
    await expectEffect('destination');
    await redis.stop();
    await expectEffect('status');
    await redis.resume();
    await eventually('both listen again', () => {
      const heard = (service: Service) =>
        service.log().split('Subscribed to changes from other machines').length;
      return heard(here) >= 3 && heard(there) >= 3;
    });
    await expectEffect('destination');
  });

  it('clears the cache when Redis is back, so that changes made meanwhile take effect', async () => {
    const link = await owner.aLink();
    await visit(there, link.alias);
    await redis.stop();
    await owner.update(link.id, { long_url: 'https://meanwhile.test/' });
    await redis.resume();
    const expected = { alias: link.alias, status: 302, location: 'https://meanwhile.test/' };
    await eventually('the change there', () => sees(there, expected), SOON_MS);
    expect(await sees(here, expected)).toBe(true);
  });
});

import { setTimeout as sleep } from 'node:timers/promises';
import type request from 'supertest';
import { ApiClient } from '../support/api-client';
import { databaseOf, totalClicks } from '../support/database';
import { expectExact, journalEmpty } from '../support/exact-clicks';
import { aLink } from '../support/factories/links';
import { type Fault, MongoProxy, NOT_PRIMARY } from '../support/faults/mongo-proxy';
import { SeededRandom } from '../support/fuzz/seeded-random';
import { becomes } from '../support/health';
import { post, visit } from '../support/http';
import { limitsFile } from '../support/limits';
import { OwnEngine } from '../support/own-engine';
import { redisInstalled, TestRedis } from '../support/redis';
import { eventually, type Service, startService } from '../support/service';
import { Traffic } from '../support/traffic';

// Two services share a Redis and a database behind a fault proxy. MONGO_ROUNDS=1000 makes a
// long run; MONGO_SEED=n changes the faults.
const ROUNDS = Number(process.env.MONGO_ROUNDS ?? 6);
const SEED = Number(process.env.MONGO_SEED ?? 20261126);
const ROUND_MS = 12_000;
const PAUSE_MS = 15;

const LIMITS = {
  ...{ 'links.create': 'off', 'links.read': 'off', 'links.update': 'off', 'links.list': 'off' },
  ...{ 'auth.login': 'off', 'auth.login-account': 'off' },
};

jest.setTimeout(300_000 + ROUNDS * ROUND_MS);

const NAMES = Object.keys(NOT_PRIMARY) as (keyof typeof NOT_PRIMARY)[];

/** Clock offsets of the possible primaries in milliseconds, relative to this machine. */
const CLOCKS = [0, 0, 4000, 40_000, 3_600_000, -40_000];

/** Injects one or all kinds of faults at random. */
function aPlan(random: SeededRandom): () => Fault | null {
  const faults: (() => Fault)[] = [
    () => ({ kind: 'cut request' }),
    () => ({ kind: 'cut answer' }),
    () => ({ kind: 'lose answer' }),
    () => ({ kind: 'delay', ms: 20 + random.below(1200) }),
    () => ({ kind: 'refuse', as: random.of(NAMES) }),
    () => ({ kind: 'deny', as: random.of(NAMES) }),
    () => ({ kind: 'write concern' }),
  ];
  const chosen = random.chance(0.5) ? faults : [random.of(faults)];
  const share = random.of([0.05, 0.2, 0.6, 1]);
  return () => (random.chance(share) ? random.of(chosen)() : null);
}

interface Limited {
  readonly id: string;
  readonly alias: string;
  readonly maxClicks: number;
  redirects: number;
}

(redisInstalled ? describe : describe.skip)('a database that fails (needs redis-server)', () => {
  const random = new SeededRandom(SEED);
  const statuses = new Map<string, number>();
  let engine: OwnEngine;
  let redis: TestRedis;
  let proxy: MongoProxy;
  let services: [Service, Service];
  let clients: [ApiClient, ApiClient];
  let traffics: Traffic[];
  const made: string[] = [];
  const limited: Limited[] = [];
  let longestReturn = 0;
  let changes = 0;

  const either = (): 0 | 1 => (random.chance(0.5) ? 0 : 1);

  async function noted(what: string, asked: request.Test): Promise<request.Response> {
    const answer = await asked;
    const key = `${what} ${answer.status}`;
    statuses.set(key, (statuses.get(key) ?? 0) + 1);
    return answer;
  }

  beforeAll(async () => {
    engine = new OwnEngine();
    await engine.start();
    redis = await TestRedis.start();
    proxy = await MongoProxy.to(engine.uri);
    const env = { REDIS_URL: redis.url, LIMITS_FILE: limitsFile(LIMITS) };
    const mongoUri = proxy.uri('curtail');
    const first = await startService({ mongoUri, env });
    services = [first, await startService({ mongoUri, env })];
    const client = await ApiClient.on(first);
    clients = [client, client.at(services[1])];
    traffics = [];
    for (const service of services) {
      traffics.push(new Traffic(service.port, await aLink(service), 4, PAUSE_MS));
    }
  });

  afterAll(async () => {
    proxy.plan = () => null;
    await proxy.show();
    for (const traffic of traffics) await traffic.stop();
    for (const service of services) await service.stop();
    await redis.stop();
    await proxy.hide();
    await engine.remove();
  });

  async function useUp(link: Limited): Promise<void> {
    const visits = Array.from({ length: link.maxClicks + 5 }, async () => {
      await sleep(random.below(700));
      const { status } = await noted('limited', visit(services[either()], link.alias));
      if (status === 302) link.redirects++;
    });
    await Promise.all(visits);
  }

  async function change(id: string): Promise<void> {
    for (let i = 0; i < 4; i++) {
      const destination = `https://example.com/${++changes}`;
      await noted('PATCH', clients[either()].update(id, { long_url: destination }));
    }
  }

  async function make(of: 0 | 1 = either()): Promise<number> {
    const alias = `own-${random.below(2 ** 32).toString(36)}`;
    const body = { long_url: 'https://example.com/own', alias };
    const { status } = await noted('POST', clients[of].call('post', '/api/v1/shorten', body));
    if (status === 201) made.push(alias);
    return status;
  }

  /** Expects a list to contain all links that were acknowledged before the request. */
  async function list(of: 0 | 1): Promise<number> {
    const expected = made.slice(-20);
    const query = { pageSize: 100, sortBy: random.of(['created_at', 'total_clicks', 'alias']) };
    const filter = JSON.stringify({ search: 'own-' });
    const answers: string[] = [];
    for (let page = 1; ; page++) {
      const asked = clients[of].list({ ...query, filter, page });
      const answer = await noted('list', asked);
      if (answer.status !== 200) return answer.status;
      answers.push(...(answer.body.items as { alias: string }[]).map(({ alias }) => alias));
      if (answer.body.hasNext !== true) break;
    }
    expect(expected.filter((alias) => !answers.includes(alias))).toEqual([]);
    return 200;
  }

  /** Expects a search by destination to find the link with its latest change. */
  async function listChanged(of: 0 | 1): Promise<string[]> {
    const filter = JSON.stringify({ search: `example.com/${changes}` });
    const answer = await noted('list', clients[of].list({ filter }));
    expect(answer.status).toBe(200);
    return (answer.body.items as { id: string }[]).map((item) => item.id);
  }

  const signIn = (service: Service): Promise<request.Response> =>
    noted('sign-in', post(service, '/auth/login', clients[0].account));

  async function expectAllUp(id: string): Promise<void> {
    const since = performance.now();
    for (const [i, service] of services.entries()) {
      await becomes(service, 'healthy');
      const client = clients[i as 0 | 1];
      await eventually('links are made', async () => (await make(i as 0 | 1)) === 201);
      await eventually('links are listed', async () => (await list(i as 0 | 1)) === 200);
      await eventually('links are changed', async () => {
        const body = { long_url: `https://example.com/${++changes}` };
        return (await noted('up', client.update(id, body))).status === 200;
      });
      for (const n of [0, 1] as const) expect(await listChanged(n)).toEqual([id]);
      await eventually('people sign in', async () => (await signIn(service)).status === 200);
    }
    longestReturn = Math.max(longestReturn, performance.now() - since);
  }

  it('loses nothing, duplicates nothing and exceeds no limit', async () => {
    const changed = await clients[0].aLink();
    for (let round = 0; round < ROUNDS; round++) {
      if (round % 50 === 49) {
        const client = await clients[0].signedInAgain();
        clients = [client, client.at(services[1])];
      }
      const maxClicks = 1 + random.below(6);
      const { id, alias } = await clients[0].aLink({ max_clicks: maxClicks });
      const link = { id, alias, maxClicks, redirects: 0 };
      limited.push(link);
      const isAway = random.chance(0.2);
      if (isAway) await proxy.hide();
      if (isAway || random.chance(0.4)) proxy.clockBehind = random.of(CLOCKS);
      if (!isAway) proxy.plan = aPlan(random);
      const work: Promise<unknown>[] = [
        ...[useUp(link), change(changed.id), make(), make()],
        list(either()),
      ];
      if (random.chance(0.3)) work.push(signIn(services[either()]));
      await sleep(200 + random.below(isAway ? 2500 : 800));
      proxy.plan = () => null;
      await proxy.show();
      await Promise.all(work);
      await expectAllUp(changed.id);
      const target = `https://example.com/${changes}`;
      for (const service of services) {
        await eventually(`${changed.alias} leads to ${target}`, async () => {
          return (await visit(service, changed.alias)).headers.location === target;
        });
      }
      expect(link.redirects).toBeLessThanOrEqual(maxClicks);
    }
    for (const [i, traffic] of traffics.entries()) {
      await expectExact(services[i as 0 | 1], traffic);
    }
    for (const { dataDir } of services) await journalEmpty(dataDir);
    const database = await databaseOf(services[0]);
    for (const { id, alias, redirects } of limited) {
      expect(`${alias} ${await totalClicks(database, id)}`).toBe(`${alias} ${redirects}`);
    }
    await database.close();
    const logs = services.map((service) => service.log()).join('\n');
    expect(logs.match(/^.*Something went wrong on our side.*$/m)?.[0]).toBeUndefined();
    const codes = new Set([...traffics.flatMap(({ statuses }) => [...statuses.keys()])]);
    for (const key of statuses.keys()) codes.add(Number(key.split(' ').at(-1)));
    expect([...codes].filter((code) => code >= 500 && code !== 503)).toEqual([]);
    const kept = limited.reduce((sum, { maxClicks, redirects }) => sum + maxClicks - redirects, 0);
    process.stderr.write(
      `${ROUNDS} rounds: faults ${JSON.stringify(Object.fromEntries(proxy.done))}, answers ` +
        `${JSON.stringify(Object.fromEntries([...statuses].sort()))}, slots not used ${kept}, ` +
        `longest return ${longestReturn.toFixed(0)} ms\n`,
    );
  });
});

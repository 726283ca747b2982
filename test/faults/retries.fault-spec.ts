import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Connection } from 'mongoose';
import type { Response } from 'supertest';
import { toRequestId } from '../../src/idempotency/idempotency-key';
import { ApiClient } from '../support/api-client';
import { MongoProxy } from '../support/faults/mongo-proxy';
import { limitsFile } from '../support/limits';
import { aVerifiedAccount, type TestAccount } from '../support/factories/accounts';
import { SeededRandom } from '../support/fuzz/seeded-random';
import { databaseOf } from '../support/database';
import { bearer, post } from '../support/http';
import { workerPids } from '../support/processes';
import { eventually, type Service, startService } from '../support/service';

/** Number of rounds with one kill each; `RETRY_KILLS=100` for a long run. */
const KILLS = Number(process.env.RETRY_KILLS ?? 4);
const SEED = Number(process.env.RETRY_SEED ?? 20);
/** Number of concurrent requests per round, all with the same key. */
const PARALLEL = 8;
const ITEMS = 20;

// A repeatedly killed worker's restart delay grows to ten seconds.
jest.setTimeout(300_000 + KILLS * 20_000);

interface Asked {
  readonly path: string;
  readonly status: number;
  /** Maximum delay before a kill: about the request's duration, so that kills hit every step. */
  readonly maxDelayMs: number;
  readonly kills: number;
  readonly body: () => object;
}

const aDestination = () => ({ long_url: `https://example.com/${randomUUID()}` });

function aBatch(): object {
  const alias = randomUUID().slice(0, 8);
  const plain = Array.from({ length: ITEMS - 5 }, (_, i) => ({
    ...aDestination(),
    tags: [`${alias}-${i % 3}`],
  }));
  const [first, second] = [aDestination(), aDestination()];
  const reused = aDestination();
  const named = [{ ...first, alias }, ...plain, { ...second, alias }];
  return { links: [reused, ...named, { ...reused, reuse: true }, { ...first, max_clicks: 0 }] };
}

const REQUESTS: readonly [string, Asked][] = [
  [
    'A link',
    { path: '/api/v1/shorten', status: 201, maxDelayMs: 25, kills: KILLS, body: aDestination },
  ],
  [
    'A batch',
    {
      ...{ path: '/api/v1/urls/bulk/create', status: 200, maxDelayMs: 60 },
      ...{ kills: Math.ceil(KILLS / 2), body: aBatch },
    },
  ],
];

interface StoredRequest {
  _id: string;
  process: { pid: number };
  tries: number;
}

describe('a repeated request', () => {
  let folder: string;
  let machines: Service[];
  let database: Connection;
  let account: TestAccount;

  const start = (options = {}): Promise<Service> =>
    startService({
      ...options,
      env: { WEB_CONCURRENCY: '2', LIMITS_FILE: join(folder, 'limits.json') },
    });

  beforeEach(async () => {
    folder = mkdtempSync(join(tmpdir(), 'curtail-retries-'));
    const limits = { 'links.create': 'off', 'links.bulk-create': 'off' };
    writeFileSync(
      join(folder, 'limits.json'),
      JSON.stringify({ ...limits, 'links.create-items': 'off' }),
    );
    const one = await start({ dataDir: join(folder, 'one') });
    machines = [one];
    database = await databaseOf(one);
    account = await aVerifiedAccount(one);
  });
  afterEach(async () => {
    await database.close();
    await Promise.all(machines.map((machine) => machine.stop()));
    rmSync(folder, { recursive: true, force: true });
  });

  const send = (machine: Service, path: string, key: string, body: object) =>
    post(machine, path, body).set(bearer(account.accessToken)).set('Idempotency-Key', key);
  const signInAgain = async (machine: Service): Promise<void> => {
    const { email, password } = account;
    await eventually('a worker takes the sign-in', async () => {
      const answer = await post(machine, '/auth/login', { email, password }).catch(() => null);
      if (answer?.status !== 200) return false;
      account = { ...account, accessToken: answer.body.access_token };
      return true;
    });
  };
  /** Returns the number of a body's destinations by their number of links. */
  const linksTo = async (body: object): Promise<Record<number, number>> => {
    const items = 'links' in body ? (body.links as object[]) : [body];
    const asked = new Set(items.map((item) => 'long_url' in item && item.long_url));
    const links = database.collection('links');
    const counts: Record<number, number> = {};
    for (const long_url of asked) {
      const count = await links.countDocuments({ long_url });
      counts[count] = (counts[count] ?? 0) + 1;
    }
    return counts;
  };

  async function insist(
    machine: Service,
    path: string,
    key: string,
    body: object,
  ): Promise<Response> {
    for (;;) {
      const answer = await send(machine, path, key, body).catch(() => null);
      if (answer !== null && answer.status !== 409 && answer.status < 500) return answer;
      await sleep(100);
    }
  }

  it('runs once on two machines with two processes each, and never with another body', async () => {
    const [one] = machines as [Service];
    machines.push(await start({ dataDir: join(folder, 'two'), database: one.database }));
    const [key, body] = [randomUUID(), aDestination()];
    const path = '/api/v1/shorten';
    const onAll = <T>(count: number, call: (machine: Service) => PromiseLike<T>): Promise<T[]> =>
      Promise.all(Array.from({ length: count }, (_, n) => call(machines[n % 2]!)));
    const answers = await onAll(200, (machine) => send(machine, path, key, body));
    expect(new Set(answers.map(({ status, text }) => `${status} ${text}`)).size).toBe(1);
    expect(answers[0]!.status).toBe(201);
    const replayed = answers.filter(({ headers }) => headers['idempotent-replayed'] === 'true');
    expect([await linksTo(body), replayed.length]).toEqual([{ 1: 1 }, 199]);
    const others = await onAll(200, (machine) => send(machine, path, key, aDestination()));
    expect(others.filter(({ status }) => status === 422)).toHaveLength(200);
  });

  it.each(REQUESTS)(
    '%s is created once even if its process is killed, and always gets the same response',
    async (_, { path, status, maxDelayMs, kills, body: aBody }) => {
      const random = new SeededRandom(SEED);
      let [service] = machines as [Service];
      const requests = database.collection<StoredRequest>('idempotency');
      const rounds: { key: string; body: object; text: string }[] = [];
      // Selects all items except the one whose alias is taken.
      const once = status === 201 ? { 1: 1 } : { 0: 1, 1: ITEMS - 3 };
      for (let round = 0; round < kills; round++) {
        await eventually('both workers are there', () => workerPids(service).length === 2);
        // A long run exceeds an access token's lifetime.
        if (round % 20 === 19) await signInAgain(service);
        const [key, body] = [randomUUID(), aBody()];
        const _id = toRequestId(account.userId, 'POST', path, key);
        const asked = Array.from({ length: PARALLEL }, () => insist(service, path, key, body));
        await sleep(random.roll() * maxDelayMs);
        const begun = await requests.findOne({ _id });
        process.kill(begun?.process.pid ?? workerPids(service)[0]!, 'SIGKILL');
        const answers = await Promise.all(asked);
        expect(answers.map((answer) => answer.status)).toEqual(answers.map(() => status));
        expect(new Set(answers.map(({ text }) => text)).size).toBe(1);
        expect(await linksTo(body)).toEqual(once);
        rounds.push({ key, body, text: answers[0]!.text });
      }
      const takeovers = await requests.countDocuments({ tries: { $gt: 1 } });
      await service.kill('SIGKILL');
      service = await start({ dataDir: join(folder, 'one'), database: service.database });
      machines = [service];
      for (const { key, body, text } of rounds) {
        expect((await insist(service, path, key, body)).text).toBe(text);
        expect((await send(service, path, key, aBody())).status).toBe(422);
        expect(await linksTo(body)).toEqual(once);
      }
      process.stdout.write(
        `${path}: ${kills} kills, of which ${takeovers} met a request: made once, ${PARALLEL + 1} equal answers each\n`,
      );
    },
  );
});

describe('a batch during which the database fails', () => {
  it('reports which items were not attempted, and creates only those when it is repeated', async () => {
    const proxy = await MongoProxy.to(process.env.CURTAIL_TEST_MONGO ?? '');
    const service = await startService({
      mongoUri: proxy.uri(`t${randomUUID().slice(0, 8)}`),
      env: { LIMITS_FILE: limitsFile({ 'links.bulk': 'off' }) },
    });
    const owner = await ApiClient.on(service);
    const bulk = (route: string, body: object) =>
      owner.call('post', `/api/v1/urls/bulk/${route}`, body).set('Idempotency-Key', route);
    /** Rejects all statements that change links after the first statement. */
    const goAway = (): void => {
      let statements = 0;
      proxy.plan = (command, collection) =>
        command === 'update' && collection === 'links' && ++statements > 1
          ? { kind: 'refuse', as: 'NotWritablePrimary' }
          : null;
    };
    const codes = (body: { results: { error_code: string | null }[] }) =>
      body.results.map(({ error_code }) => error_code);

    // Items with equal destinations are stored in order.
    const first = aDestination();
    const links = [first, { ...first, reuse: true, max_clicks: 5 }, aDestination()];
    goAway();
    const half = await bulk('create', { links });
    expect([half.status, codes(half.body)]).toEqual([
      200,
      [null, 'not_attempted', 'not_attempted'],
    ]);
    proxy.plan = () => null;
    const whole = await bulk('create', { links });
    expect(whole.body.summary).toEqual({ total: 3, succeeded: 3, failed: 0 });
    expect(whole.body.results[0]).toEqual(half.body.results[0]);
    expect((await bulk('create', { links })).text).toBe(whole.text);
    expect((await owner.list()).body.total).toBe(3);

    for (let i = 0; i < 3; i++) {
      const hundred = Array.from({ length: 100 }, aDestination);
      await owner.call('post', '/api/v1/urls/bulk/create', { links: hundred });
    }
    const change = { filter: {}, expected: 303, set: { block_bots: true } };
    goAway();
    const changed = await bulk('update', change);
    expect(changed.body.summary).toEqual({ total: 303, succeeded: 250, failed: 53 });
    expect(new Set(codes(changed.body).slice(250))).toEqual(new Set(['not_attempted']));
    proxy.plan = () => null;
    const all = await bulk('update', change);
    expect(all.body.summary).toEqual({ total: 303, succeeded: 303, failed: 0 });
    await service.stop();
    await proxy.hide();
  });
});

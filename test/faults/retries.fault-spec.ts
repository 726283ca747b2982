import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Connection } from 'mongoose';
import type { Response } from 'supertest';
import { requestIdOf } from '../../src/idempotency/idempotency-key';
import { aVerifiedAccount, type TestAccount } from '../support/factories/accounts';
import { SeededRandom } from '../support/fuzz/seeded-random';
import { databaseOf } from '../support/database';
import { bearer, post } from '../support/http';
import { workerPids } from '../support/processes';
import { eventually, type Service, startService } from '../support/service';

/** Rounds, in each of which a process is killed; `RETRY_KILLS=100` for a long run. */
const KILLS = Number(process.env.RETRY_KILLS ?? 12);
const SEED = Number(process.env.RETRY_SEED ?? 20);
/** Requests of a round, all with one key. */
const PARALLEL = 8;
/** About as long as a request takes, so that kills meet each of its steps. */
const MAX_DELAY_MS = 25;

// A worker that is killed again and again is started ever later, up to ten seconds.
jest.setTimeout(120_000 + KILLS * 20_000);

interface StoredRequest {
  _id: string;
  process: { pid: number };
  tries: number;
}

describe('a request that is sent again and again', () => {
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
    writeFileSync(join(folder, 'limits.json'), JSON.stringify({ 'links.create': 'off' }));
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

  const aBody = () => ({ long_url: `https://example.com/${randomUUID()}` });
  const send = (machine: Service, key: string, body: object) =>
    post(machine, '/api/v1/shorten', body)
      .set(bearer(account.accessToken))
      .set('Idempotency-Key', key);
  const linksTo = ({ long_url }: { long_url: string }) =>
    database.collection('links').countDocuments({ long_url });

  /** Sends the request until it has an answer. */
  async function insist(machine: Service, key: string, body: object): Promise<Response> {
    for (;;) {
      const answer = await send(machine, key, body).catch(() => null);
      if (answer !== null && answer.status !== 409 && answer.status < 500) return answer;
      await sleep(20);
    }
  }

  it('is done once on two machines with two processes each, and with no other body', async () => {
    const [one] = machines as [Service];
    machines.push(await start({ dataDir: join(folder, 'two'), database: one.database }));
    const [key, body] = [randomUUID(), aBody()];
    const onAll = <T>(count: number, call: (machine: Service) => PromiseLike<T>): Promise<T[]> =>
      Promise.all(Array.from({ length: count }, (_, n) => call(machines[n % 2]!)));
    const answers = await onAll(200, (machine) => send(machine, key, body));
    expect(new Set(answers.map(({ status, text }) => `${status} ${text}`)).size).toBe(1);
    expect(answers[0]!.status).toBe(201);
    const replayed = answers.filter(({ headers }) => headers['idempotent-replayed'] === 'true');
    expect([await linksTo(body), replayed.length]).toEqual([1, 199]);
    const others = await onAll(200, (machine) => send(machine, key, aBody()));
    expect(others.filter(({ status }) => status === 422)).toHaveLength(200);
  });

  it('is done once although its process is killed, and answered the same for ever after', async () => {
    const random = new SeededRandom(SEED);
    let [service] = machines as [Service];
    const requests = database.collection<StoredRequest>('idempotency');
    const rounds: { key: string; body: { long_url: string }; text: string }[] = [];
    for (let round = 0; round < KILLS; round++) {
      await eventually('both workers are there', () => workerPids(service).length === 2);
      const [key, body] = [randomUUID(), aBody()];
      const _id = requestIdOf(account.userId, 'POST', '/api/v1/shorten', key);
      const asked = Array.from({ length: PARALLEL }, () => insist(service, key, body));
      await sleep(random.roll() * MAX_DELAY_MS);
      const begun = await requests.findOne({ _id });
      process.kill(begun?.process.pid ?? workerPids(service)[0]!, 'SIGKILL');
      const answers = await Promise.all(asked);
      expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 201));
      expect(new Set(answers.map(({ text }) => text)).size).toBe(1);
      expect(await linksTo(body)).toBe(1);
      rounds.push({ key, body, text: answers[0]!.text });
    }
    const takeovers = await requests.countDocuments({ tries: { $gt: 1 } });
    await service.kill('SIGKILL');
    service = await start({ dataDir: join(folder, 'one'), database: service.database });
    machines = [service];
    for (const { key, body, text } of rounds) {
      expect((await insist(service, key, body)).text).toBe(text);
      expect((await send(service, key, aBody())).status).toBe(422);
      expect(await linksTo(body)).toBe(1);
    }
    process.stdout.write(
      `${KILLS} kills, of which ${takeovers} met a request: 1 link and ${PARALLEL + 1} equal answers each\n`,
    );
  });
});

import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type Connection, Types } from 'mongoose';
import request from 'supertest';
import type { Scope } from '../../../src/auth/access';
import type { JobKindName } from '../../../src/infrastructure/jobs/job';
import type { JobsRepository } from '../../../src/infrastructure/jobs/jobs.repository';
import { SealedValues } from '../../../src/infrastructure/sealed-values/sealed-values';
import { aKey, aVerifiedAccount, type TestAccount } from '../../support/factories/accounts';
import { databaseOf } from '../../support/database';
import { becomesEverywhere, statusesOf } from '../../support/everywhere';
import { aLink } from '../../support/factories/links';
import { jobsIn } from '../../support/factories/stored-job';
import { bearer, post, visit } from '../../support/http';
import { startWithJobs } from '../../support/jobs/service-with-jobs';
import type { TestWork } from '../../support/jobs/test-jobs.module';
import { jobsPids, niceness } from '../../support/processes';
import { eventually, type Service, startService } from '../../support/service';

describe('the jobs process of the service', () => {
  let database: Connection;

  afterEach(() => database.close());

  it('starts if there is an unfinished job, and ignores unknown kinds', async () => {
    const service = await startService({ env: { METRICS: 'true' } });
    expect(jobsPids(service)).toEqual([]);
    database = await databaseOf(service);
    const jobs = jobsIn(database);
    const job = { kind: 'import', ownerId: null, input: null, node: 'elsewhere' } as const;
    const { id } = await jobs.insert(job);
    const unknown = { kind: 'kind_of_a_later_release', node: null };
    await database.collection('jobs').updateOne({ _id: new Types.ObjectId(id) }, { $set: unknown });
    await eventually('the process is up', async () =>
      (await request(service.url).get('/metrics')).text.includes('curtail_jobs_running 0'),
    );
    expect(jobsPids(service)).toHaveLength(1);
    expect(await jobs.findById(id)).toMatchObject({ state: 'queued' });
    expect(await service.stop()).toBe(0);
  });

  it('prepares links from an earlier release for reuse, once for several processes', async () => {
    const first = await startService({ own: true });
    database = await databaseOf(first);
    const { accessToken } = await aVerifiedAccount(first);
    const shorten = (service: Service, path: string, more: object = {}) =>
      post(service, '/api/v1/shorten', { long_url: `https://example.com/${path}`, ...more }).set(
        bearer(accessToken),
      );
    const { body: former } = await shorten(first, 'former');
    const { body: changed } = await shorten(first, 'changed');
    const links = database.collection('links');
    await links.updateMany({}, { $unset: { destination_hash: '' } });
    expect((await shorten(first, 'former', { reuse: true })).status).toBe(201);
    await links.deleteMany({ destination_hash: { $exists: true } });
    const env = { WEB_CONCURRENCY: '2' };
    const second = await startService({ env, database: first.database });
    const kept = { reuse: true, alias: former.alias as string };
    await eventually('the job is done', async () => {
      const found = await database.collection('jobs').find().toArray();
      expect(found.length).toBeLessThan(2);
      return found[0]?.['state'] === 'done';
    });
    expect(await database.collection('jobs').findOne()).toMatchObject({
      ...{ kind: 'backfill', owner: null, done: 2, error: null },
    });
    const again = await shorten(first, 'former', kept);
    expect([again.status, again.body]).toEqual([200, { ...former, reused: true }]);
    expect((await shorten(second, 'changed', { reuse: true })).body.id).toBe(changed.id);
    await Promise.all([first.stop(), second.stop()]);
  });
});

describe('jobs', () => {
  let service: Service;
  let database: Connection;
  let jobs: JobsRepository;
  let other: Server;
  let asked: string[];
  let account: TestAccount;
  let keys: Record<'manage' | 'admin' | 'read', string>;

  beforeAll(async () => {
    asked = [];
    other = createServer((incoming, response) => {
      asked.push(incoming.url ?? '');
      response.end('ok');
    });
    await once(other.listen(0, '127.0.0.1'), 'listening');
    service = await startWithJobs({
      env: { METRICS: 'true', OUTBOUND_ALLOWED_NETWORKS: '127.0.0.1' },
    });
    database = await databaseOf(service);
    jobs = jobsIn(database);
    account = await aVerifiedAccount(service);
    const key = (...scopes: Scope[]) => aKey(service, account, scopes);
    keys = {
      manage: await key('urls:manage'),
      admin: await key('admin:all'),
      read: await key('urls:read', 'stats:read', 'shorten:create'),
    };
  });
  afterAll(async () => {
    await database.close();
    await service.stop();
    other.close();
  });

  const begin = async (
    kind: JobKindName,
    input: TestWork,
    ownerId: string | null = account.userId,
  ) => (await jobs.insert({ kind, ownerId, input })).id;
  const read = (id: string, token = account.accessToken) =>
    request(service.url).get(`/api/v1/jobs/${id}`).set(bearer(token));
  const cancel = (id: string, token = account.accessToken) =>
    request(service.url).post(`/api/v1/jobs/${id}/cancel`).set(bearer(token));
  const becomes = (id: string, state: string) =>
    // Reads the database, because polling the route would exceed its rate limit.
    eventually(`the job is ${state}`, async () => (await jobs.findById(id))?.state === state);

  it('have no process until there is a job, and then one with low priority', async () => {
    expect(jobsPids(service)).toEqual([]);
    const id = await begin('import', { steps: 1 });
    await becomes(id, 'done');
    const pids = jobsPids(service);
    expect(pids).toHaveLength(1);
    expect(niceness(pids[0] ?? 0)).toBe(10);
  });

  it('report their progress and their result', async () => {
    const id = await begin('import', { steps: 20 });
    await becomes(id, 'done');
    const { status, body } = await read(id);
    expect(status).toBe(200);
    expect(body).toEqual({
      id,
      kind: 'import',
      state: 'done',
      progress: { done: 20, total: 20, unit: 'rows' },
      counts: { made: 20 },
      created_at: expect.any(Number) as number,
      started_at: expect.any(Number) as number,
      finished_at: expect.any(Number) as number,
      error: null,
    });
  });

  it('fail because of invalid input, with a message for people', async () => {
    const id = await begin('import', { steps: 5, trouble: { at: 2, what: 'refused' } });
    await becomes(id, 'failed');
    expect((await read(id)).body).toMatchObject({
      progress: { done: 2 },
      error: { code: 'validation_error', error: 'Row 3 holds $nothing that is a link' },
    });
  });

  it('can read sealed values, and call other services only at allowed addresses', async () => {
    const secret = 'a secret of the end-to-end tests';
    const { port } = other.address() as AddressInfo;
    const ask = (url: string, by = secret) => {
      const purpose = 'test';
      const sealed = new SealedValues({ secret: by }).seal(purpose, account.userId, url);
      return { steps: 1, ask: { purpose, sealed: sealed.toString('hex') } };
    };
    const good = await begin('import', ask(`http://127.0.0.1:${port}/links`));
    await becomes(good, 'done');
    expect(asked).toEqual(['/links']);
    const refused = async (id: string) => {
      await becomes(id, 'failed');
      return (await jobs.findById(id))?.error?.error;
    };
    const inside = await begin('import', ask(`http://127.0.0.2:${port}/links`));
    expect(await refused(inside)).toBe('127.0.0.2 is not a public address');
    const unreadable = await begin('import', ask('https://x.test/', 'another secret than that'));
    expect(await refused(unreadable)).toBe('The stored address is unreadable');
  });

  it('wait for another service and then continue', async () => {
    const id = await begin('import', { steps: 3, trouble: { at: 1, what: 'waits' } });
    await becomes(id, 'waiting');
    expect((await read(id)).body.error).toEqual({
      code: 'internal_error',
      error: 'links.test asks for a pause',
    });
    await becomes(id, 'done');
    expect((await read(id)).body).toMatchObject({ progress: { done: 3 }, error: null });
  });

  describe('can be cancelled', () => {
    it('while they run', async () => {
      const id = await begin('account_export', { steps: 1000, pauseMs: 20 });
      await eventually(async () => ((await jobs.findById(id))?.done ?? 0) > 2);
      const answer = await cancel(id);
      expect(answer.status).toBe(200);
      await becomes(id, 'cancelled');
      const { body } = await read(id);
      expect(body.finished_at).toEqual(expect.any(Number));
      const next = await begin('account_export', { steps: 2 });
      await becomes(next, 'done');
      expect((await read(id)).body).toEqual(body);
    });

    it('while they are queued, but not after they have ended', async () => {
      const first = await begin('account_export', { steps: 1000, pauseMs: 20 });
      await eventually(async () => (await jobs.findById(first))?.state === 'running');
      const second = await begin('account_export', { steps: 2 });
      expect((await read(second)).body).toMatchObject({ state: 'queued', started_at: null });
      expect((await cancel(second)).body).toMatchObject({ state: 'cancelled', started_at: null });
      await cancel(first);
      const third = await begin('account_export', { steps: 2 });
      await becomes(third, 'done');
      const answer = await cancel(third);
      expect(answer.status).toBe(200);
      expect(answer.body.state).toBe('done');
    });

    it('unless they must run to their end', async () => {
      const id = await begin('account_deletion', { steps: 100, pauseMs: 10 });
      const answer = await cancel(id);
      expect(answer.status).toBe(409);
      expect(answer.body.code).toBe('conflict');
      await becomes(id, 'done');
      expect((await cancel(id)).status).toBe(200);
    });
  });

  it('are visible only to their account, and the service’s own jobs to no account', async () => {
    const id = await begin('import', { steps: 1 });
    const own = await begin('block_list', { steps: 1 }, null);
    const stranger = await aVerifiedAccount(service);
    for (const answer of [
      await read(id, stranger.accessToken),
      await cancel(id, stranger.accessToken),
      await read(own),
      await cancel(own),
      await read(randomBytes(12).toString('hex')),
    ]) {
      expect(answer.status).toBe(404);
      expect(answer.body).toMatchObject({ code: 'not_found', error: 'Job not found' });
    }
    expect((await read('12345')).status).toBe(400);
    expect((await cancel('x'.repeat(24))).status).toBe(400);
    expect((await request(service.url).get(`/api/v1/jobs/${id}`)).status).toBe(401);
    expect((await request(service.url).post(`/api/v1/jobs/${id}/cancel`)).status).toBe(401);
  });

  it('can be read with keys that have the scope, and jobs of sessions cannot be read with keys', async () => {
    const id = await begin('import', { steps: 1 });
    const exported = await begin('account_export', { steps: 1 });
    for (const ask of [read, cancel]) {
      expect((await ask(id, keys.manage)).status).toBe(200);
      expect((await ask(id, keys.admin)).status).toBe(200);
      const refused = await ask(id, keys.read);
      expect(refused.status).toBe(403);
      expect(refused.body.error).toContain('urls:manage or admin:all');
      for (const key of Object.values(keys)) expect((await ask(exported, key)).status).toBe(403);
    }
    expect((await read(exported)).status).toBe(200);
  });

  it('are limited to 120 a minute', async () => {
    const id = await begin('import', { steps: 1 });
    expect((await read(id)).get('X-RateLimit-Limit')).toBe('120');
    expect((await cancel(id)).get('X-RateLimit-Limit')).toBe('120');
  });

  it('are counted in the metrics', async () => {
    const { text } = await request(service.url).get('/metrics');
    expect(text).toMatch(/^curtail_jobs_up 1$/m);
    expect(text).toMatch(/^curtail_jobs_steps_total [1-9]\d+$/m);
    expect(text).toMatch(/^curtail_jobs_done_total [1-9]\d*$/m);
    expect(text).toMatch(/^curtail_jobs_failed_total 3$/m);
  });

  it.each(['1', '2'])('notify web processes of their changes, which are %s', async (count) => {
    const some = await startWithJobs({ env: { WEB_CONCURRENCY: count } });
    const its = await databaseOf(some);
    const { alias } = await aLink(some);
    const visiting = () => visit(some, alias);
    await becomesEverywhere(visiting, 302);
    await its.collection('links').updateOne({ alias }, { $set: { status: 'INACTIVE' } });
    // Processes have cached the link.
    expect(await statusesOf(visiting)).toContain(302);
    const input: TestWork = { steps: 1, tell: alias };
    const { id } = await jobsIn(its).insert({ kind: 'import', ownerId: null, input });
    await eventually(
      'the job is done',
      async () => (await jobsIn(its).findById(id))?.state === 'done',
    );
    await becomesEverywhere(visiting, 410);
    await its.close();
    expect(await some.stop()).toBe(0);
  });
});

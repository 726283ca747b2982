import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Connection } from 'mongoose';
import request from 'supertest';
import type { Job, JobKindName } from '../../../src/infrastructure/jobs/job';
import type { JobsRepository } from '../../../src/infrastructure/jobs/jobs.repository';
import { curtail } from '../../support/curtail';
import { databaseOf } from '../../support/database';
import {
  anAdmin,
  aVerifiedAccount,
  type TestAccount,
  WITH_ADMIN,
} from '../../support/factories/accounts';
import { jobsIn } from '../../support/factories/stored-job';
import { anAddress, bearer } from '../../support/http';
import { startWithJobs } from '../../support/jobs/service-with-jobs';
import { eventually, type Service, TEST_SECRET } from '../../support/service';

/** Number of steps, more than a test waits for. */
const ENDLESS = { steps: 1_000_000, pauseMs: 20 };

describe('Jobs of all accounts', () => {
  let service: Service;
  let database: Connection;
  let jobs: JobsRepository;
  let admin: TestAccount;
  let owner: TestAccount;

  beforeAll(async () => {
    service = await startWithJobs({ env: WITH_ADMIN });
    database = await databaseOf(service);
    jobs = jobsIn(database);
    admin = await anAdmin(service);
    owner = await aVerifiedAccount(service);
  });
  afterAll(async () => {
    await database.close();
    await service.stop();
  });

  const ask = (method: 'get' | 'post', path: string, body?: object, token = admin.accessToken) =>
    request(service.url)
      [method](`/api/v1/admin${path}`)
      .set({ 'X-Forwarded-For': anAddress(), ...bearer(token) })
      .send(body);
  const begin = async (
    kind: JobKindName = 'import',
    ownerId: string | null = owner.userId,
    input: object = ENDLESS,
  ) => (await jobs.insert({ kind, ownerId, input })).id;
  const read = async (id: string): Promise<Job> => {
    const job = await jobs.findById(id);
    if (job === null) throw new Error(`There is no job ${id}`);
    return job;
  };
  const runs = (id: string) => eventually('it runs', async () => (await read(id)).done > 1);
  const work = (id: string) => database.collection('test_work').countDocuments({ job: id });

  it('are listed only for admins, by state, kind and owner, newest first', async () => {
    const ended = await begin('import', owner.userId, { steps: 2 });
    await eventually('it is done', async () => (await read(ended)).state === 'done');
    const own = await begin('block_list', null, { steps: 1 });
    await eventually('it is done', async () => (await read(own)).state === 'done');
    const { body } = await ask('get', '/jobs');
    expect(body).toMatchObject({ page: 1, pageSize: 25, total: 2, hasNext: false });
    const time = expect.stringMatching(/^\d{4}-.*Z$/) as string;
    const times = { created_at: time, started_at: time, finished_at: time };
    const shared = { state: 'done', counts: { made: 2 }, error: null, ...times };
    expect(body.items[1]).toEqual({
      ...{ id: ended, kind: 'import', ...shared },
      owner: { id: owner.userId, email: owner.email },
      progress: { done: 2, total: 2, unit: 'rows' },
    });
    expect(body.items[0]).toMatchObject({ id: own, owner: null });
    const ids = async (query: string) =>
      ((await ask('get', `/jobs?${query}`)).body.items as Job[]).map(({ id }) => id);
    expect(await ids(`owner=${owner.userId}`)).toEqual([ended]);
    expect(await ids(`owner=${owner.email}&state=done`)).toEqual([ended]);
    expect(await ids('owner=nobody@example.com')).toEqual([]);
    expect(await ids('kind=block_list')).toEqual([own]);
    expect(await ids('state=failed')).toEqual([]);
    expect(await ids('page=2&pageSize=1')).toEqual([ended]);
    expect((await ask('get', '/jobs?state=gone')).status).toBe(422);
    expect((await ask('get', '/jobs?kind=bulk')).status).toBe(422);
    expect((await ask('get', '/jobs', undefined, owner.accessToken)).status).toBe(404);
  });

  it('are cancelled after the current step, with one entry in the trail', async () => {
    const id = await begin();
    await runs(id);
    const cancel = (reason?: string) => ask('post', `/jobs/${id}/cancel`, { reason });
    const { status, body } = await cancel('Too much');
    expect([status, body.state]).toEqual([200, 'cancelled']);
    const { done } = body.progress as { done: number };
    expect(body.counts).toEqual({ made: done });
    expect(await work(id)).toBe(done);
    expect((await cancel()).body).toEqual(body);
    expect(await work(id)).toBe(done);
    const trail = await ask('get', `/trail?subject=${id}`);
    expect(trail.body.items).toMatchObject([
      {
        act: 'job.cancel',
        subject: { kind: 'job', id },
        reason: 'Too much',
        before: { state: 'running' },
        after: { state: 'cancelled' },
      },
    ]);
  });

  it('end when their account is suspended, before the response', async () => {
    const account = await aVerifiedAccount(service);
    const [running, queued] = [
      await begin('import', account.userId),
      await begin('import', account.userId),
    ];
    await runs(running);
    const path = `/accounts/${account.userId}`;
    expect((await ask('post', `${path}/suspend`, { reason: 'Abuse' })).status).toBe(200);
    expect((await read(running)).state).toBe('cancelled');
    expect((await read(queued)).state).toBe('cancelled');
    const written = await work(running);
    expect((await ask('post', `${path}/unsuspend`)).status).toBe(200);
    expect((await read(running)).state).toBe('cancelled');
    expect(await work(running)).toBe(written);
  });

  it('end when the deletion of their account begins', async () => {
    const account = await aVerifiedAccount(service);
    const id = await begin('import', account.userId);
    await runs(id);
    const body = { email: account.email, reason: 'Abuse' };
    const { status } = await ask('post', `/accounts/${account.userId}/delete`, body);
    expect(status).toBe(202);
    expect((await read(id)).state).toBe('cancelled');
  });

  it('can be listed and cancelled by commands', async () => {
    const id = await begin();
    await runs(id);
    const dataDir = mkdtempSync(join(tmpdir(), 'curtail-admin-'));
    const env = { ...WITH_ADMIN, MONGODB_URI: service.mongoUri, JWT_SECRET: TEST_SECRET };
    const run = (...args: string[]) => curtail(dataDir, ['admin', ...args], env);
    const listed = await run('list-jobs', '--state', 'running', '--owner', owner.email, '--json');
    expect(listed.err).toBe('');
    expect(JSON.parse(listed.out)).toMatchObject({ id, kind: 'import', state: 'running' });
    const cancelled = await run('cancel-job', id, '--reason', 'Too much');
    expect(cancelled).toMatchObject({ code: 0, err: '' });
    expect((await read(id)).state).toBe('cancelled');
    expect((await run('cancel-job', 'nothing')).code).toBe(1);
    expect((await run('list-jobs', '--state', 'gone')).code).toBe(2);
    rmSync(dataDir, { recursive: true });
  });
});

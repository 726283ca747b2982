import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import request from 'supertest';
import { databaseOf } from '../support/database';
import { aVerifiedAccount, STRONG_PASSWORD } from '../support/factories/accounts';
import { anAddress, bearer, shorten } from '../support/http';
import { aLink } from '../support/factories/links';
import { Traffic } from '../support/traffic';
import { becomes } from '../support/health';
import { enginePid, recorderPid, workerPids } from '../support/processes';
import { expectExact } from '../support/exact-clicks';
import { eventually, startService, type Service, type ServiceOptions } from '../support/service';

const TIMES = 3;
describe('during many visits and new links', () => {
  let dataDir: string;
  let service: Service;
  let traffic: Traffic;

  beforeEach(() => {
    dataDir = mkdtempSync(join(tmpdir(), 'curtail-fault-'));
  });
  afterEach(async () => {
    await traffic.stop();
    await service.stop();
    rmSync(dataDir, { recursive: true, force: true });
  });

  async function open(options: ServiceOptions = {}): Promise<void> {
    service = await startService({ dataDir, ...options });
    traffic = new Traffic(service.port, await aLink(service));
  }

  /** The number of visits varies, so that kills hit different points. */
  const burst = (round: number): Promise<void> => traffic.moreRedirects(40 + round * 37);

  it('nothing is lost or duplicated if the web process is killed three times', async () => {
    await open();
    const { port, database } = service;
    for (let round = 0; round < TIMES; round++) {
      await burst(round);
      await service.kill('SIGKILL');
      service = await startService({ dataDir, port, database });
    }
    await burst(0);
    await expectExact(service, traffic);
    await becomes(service, 'healthy');
  });

  it('nothing is lost or duplicated if a worker is killed three times', async () => {
    await open({ env: { WEB_CONCURRENCY: '2' } });
    for (let round = 0; round < TIMES; round++) {
      await burst(round);
      const before = workerPids(service);
      const victim = before[round % 2] ?? 0;
      process.kill(victim, 'SIGKILL');
      await becomes(service, 'healthy');
      await eventually(
        'the worker is replaced',
        () => workerPids(service).filter((pid) => pid !== victim).length === 2,
      );
    }
    await burst(0);
    await expectExact(service, traffic);
  });

  it('nothing is lost or duplicated if the database engine is killed three times', async () => {
    await open({ embedded: true });
    for (let round = 0; round < TIMES; round++) {
      await burst(round);
      const before = enginePid(service);
      process.kill(before, 'SIGKILL');
      await eventually('the engine is started again', () => isOther(enginePid, service, before));
      await becomes(service, 'healthy');
    }
    await burst(0);
    await expectExact(service, traffic);
  });

  it('nothing is lost or duplicated if the recorder is killed three times', async () => {
    await open();
    for (let round = 0; round < TIMES; round++) {
      await burst(round);
      const before = recorderPid(service);
      process.kill(before, 'SIGKILL');
      await eventually('the recorder is started again', () =>
        isOther(recorderPid, service, before),
      );
    }
    await expectExact(service, traffic);
    await becomes(service, 'healthy');
  });

  it.each([['1'], ['2']])('SIGTERM cleanly stops %s web process(es)', async (WEB_CONCURRENCY) => {
    await open({ env: { WEB_CONCURRENCY } });
    const { port, database } = service;
    await burst(1);
    // A timeout while stopping causes a nonzero exit code.
    expect(await service.stop()).toBe(0);
    service = await startService({ dataDir, port, database });
    await burst(0);
    await expectExact(service, traffic);
    await becomes(service, 'healthy');
  });

  it('workers exit if their primary is killed, and their clicks are stored', async () => {
    await open({ env: { WEB_CONCURRENCY: '2' } });
    const { port, database } = service;
    await burst(1);
    const workers = workerPids(service);
    await service.kill('SIGKILL');
    await eventually('the workers are gone', () => !workers.some(isAlive));
    service = await startService({ dataDir, port, database, env: { WEB_CONCURRENCY: '2' } });
    await burst(0);
    await expectExact(service, traffic);
  });
});

it('accounts that their owners deleted are removed once, even if all workers are killed', async () => {
  const service = await startService({ own: true, env: { WEB_CONCURRENCY: '2' } });
  const leaving = await Promise.all(Array.from({ length: 3 }, () => aVerifiedAccount(service)));
  const kept = await aVerifiedAccount(service);
  for (const { accessToken } of [...leaving, kept]) {
    await shorten(service, { long_url: 'https://a.test/' }).set(bearer(accessToken));
  }
  for (const { accessToken } of leaving) {
    const left = await request(service.url)
      .delete('/auth/me')
      .set({ 'X-Forwarded-For': anAddress(), ...bearer(accessToken) })
      .send({ password: STRONG_PASSWORD });
    expect(left.status).toBe(202);
  }
  const database = await databaseOf(service);
  const [accounts, trail] = [database.collection('accounts'), database.collection('audit_trail')];
  const due = { $set: { deletes_at: new Date(Date.now() - 60_000) } };
  await accounts.updateMany({ deletes_at: { $type: 'date' } }, due);
  for (let kill = 1; kill <= leaving.length; kill++) {
    // A new worker begins due deletions after a second.
    for (const pid of workerPids(service)) process.kill(pid, 'SIGKILL');
    await eventually('it goes on', async () => (await trail.countDocuments()) >= kill);
  }
  const isOver = async () => (await accounts.countDocuments()) === 1;
  await eventually('they are gone', isOver);
  expect(await trail.countDocuments({ act: 'account.delete' })).toBe(leaving.length);
  expect(await accounts.findOne({ email: kept.email })).toMatchObject({ deletes_at: null });
  const links = await database.collection('links').find().toArray();
  expect(links.map(({ owner }) => String(owner))).toEqual([kept.userId]);
  await database.close();
  await service.stop();
});

function isOther(pidOf: (service: Service) => number, service: Service, before: number): boolean {
  try {
    return pidOf(service) !== before;
  } catch {
    return false;
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

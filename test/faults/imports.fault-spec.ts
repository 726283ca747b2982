import { randomInt } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Connection, Types } from 'mongoose';
import { ApiClient } from '../support/api-client';
import { databaseOf } from '../support/database';
import { yourlsDump } from '../support/factories/yourls-dump';
import { endedImport, importLimits, sendImport } from '../support/importing';
import { mailsTo } from '../support/outbox';
import { jobsPids } from '../support/processes';
import { eventually, type Service, startService } from '../support/service';

const KILLS = Number(process.env.IMPORT_KILLS ?? 3);
const LINKS = 2000;
/** Number of clicks, enough for several pages that each take seconds. */
const CLICKS = 120_000;

jest.setTimeout(600_000);

describe('a run of an import', () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'curtail-fault-'));
  let service: Service;
  let database: Connection;

  beforeAll(async () => {
    service = await startService({ dataDir, env: { LIMITS_FILE: importLimits() } });
    database = await databaseOf(service);
  });
  afterAll(async () => {
    await database.close();
    await service.stop();
    rmSync(dataDir, { recursive: true, force: true });
  });

  async function killJobsProcess(): Promise<void> {
    await eventually('there is a jobs process', () => jobsPids(service).length === 1);
    const [pid = 0] = jobsPids(service);
    process.kill(pid, 'SIGKILL');
    await eventually('it is gone', () => !jobsPids(service).includes(pid));
  }

  it('loses and duplicates nothing, and nor does its undo, even if its process is killed repeatedly', async () => {
    const owner = await ApiClient.on(service);
    const dump = yourlsDump(LINKS, CLICKS);
    const id = await sendImport(service, owner, dump.text, 'yourls_sql');
    expect(await endedImport(owner, id)).toMatchObject({ state: 'done' });
    const jobs = database.collection('jobs');
    const _id = new Types.ObjectId(id);
    expect((await owner.call('post', `/api/v1/imports/${id}/run`, {})).status).toBe(202);
    const long = { $set: { started_at: new Date(Date.now() - 120_000) } };
    await eventually('it runs', async () => {
      return (await jobs.updateOne({ _id, state: 'running' }, long)).matchedCount > 0;
    });
    const isTakenUp = async (): Promise<boolean> => {
      // The job must advance between kills, because three claims at the same position end a job.
      const advanced = { claims: { $not: { $gte: 2 } } };
      const held = { _id, state: 'running', lease_until: { $gt: new Date() }, ...advanced };
      return (await jobs.findOne(held)) !== null;
    };
    for (let kill = 0; kill < KILLS; kill++) {
      await eventually('it is taken up', isTakenUp);
      await sleep(randomInt(0, 800));
      await killJobsProcess();
      // Expires the lease, which would block the job for half a minute.
      await jobs.updateOne({ _id, state: 'running' }, { $set: { lease_until: new Date(0) } });
    }
    expect(await jobs.findOne({ _id })).toMatchObject({ state: 'running' });
    const done = await endedImport(owner, id);
    expect(done).toMatchObject({
      state: 'done',
      counts: { created: LINKS },
      history: { clicks: CLICKS, counted_clicks: 0, dropped_clicks: 0 },
      proof: { rows_ok: true, links_ok: true, clicks_ok: true, differences: 0 },
    });
    const links = await database
      .collection<{ alias: string; total_clicks: number }>('links')
      .find({ owner: new Types.ObjectId(owner.account.userId) })
      .toArray();
    const expected = Array.from({ length: LINKS }, (_, i) => [dump.alias(i), dump.clicksOf(i)]);
    expect(Object.fromEntries(links.map((link) => [link.alias, link.total_clicks]))).toEqual(
      Object.fromEntries(expected),
    );
    expect(links).toHaveLength(LINKS);
    const told = mailsTo(service, owner.account.email).filter((mail) =>
      mail.includes('Subject: Your import is done'),
    );
    expect(told).toHaveLength(1);

    // The undo deletes every link but the blocked one, and counts each link once.
    const [blocked] = links;
    const block = { blocked: { reason: 'Spam', at: new Date(), by: 'admin' } };
    await database.collection('links').updateOne({ _id: blocked?._id }, { $set: block });
    const undo = await owner.call('post', `/api/v1/imports/${id}/undo`, { expected: LINKS - 1 });
    expect(undo.status).toBe(202);
    const undone = { kind: 'import_undo', state: 'running', done: { $gt: 0 } };
    await eventually('it has deleted links', async () => {
      return (await jobs.findOne(undone)) !== null;
    });
    await killJobsProcess();
    await jobs.updateOne({ kind: 'import_undo' }, { $set: { lease_until: new Date(0) } });
    const read = async () => (await owner.call('get', `/api/v1/imports/${id}`)).body as object;
    const end = { state: 'done', deleted: LINKS - 1, total: LINKS - 1 };
    const hasEnded = async () => (await jobs.findOne({ ...undone, state: 'done' })) !== null;
    await eventually('it has ended', hasEnded);
    expect(await read()).toMatchObject({ undo: end, undoable: 0 });
    const left = await database.collection('links').find({}).toArray();
    expect(left.map(({ _id }) => _id)).toEqual([blocked?._id]);
    expect((await owner.list()).body).toMatchObject({ total: 1 });
  });
});

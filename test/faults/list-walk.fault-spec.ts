import { randomInt } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Connection } from 'mongoose';
import type { JobRecord } from '../../src/infrastructure/jobs/job.schema';
import { manyStoredLinks } from '../support/shared/stored-link';
import { databaseOf } from '../support/database';
import { jobsPids } from '../support/processes';
import { eventually, type Service, startService } from '../support/service';

const KILLS = Number(process.env.WALK_KILLS ?? 3);
/** Number of links, enough for several reading steps and several writing steps. */
const OTHERS = 40_000;
const PLANTED = 6000;
const BLOCKED_BY_ADMIN = 50;
const EXEMPT = 50;
/** Maximum delay before a kill. A walk takes two seconds. */
const MAX_WAIT_MS = 600;

const LISTED = 'https://a.evil.example/';
const BY_LIST = { 'blocked.by': 'list' };
const BY_ADMIN = { 'blocked.by': 'admin', 'blocked.reason': 'Phishing' };

jest.setTimeout(600_000);

describe('a check of all links', () => {
  const folder = mkdtempSync(join(tmpdir(), 'curtail-walk-'));
  const hosts = join(folder, 'hosts.txt');
  let service: Service;
  let database: Connection;

  beforeAll(async () => {
    writeFileSync(hosts, '# none\n');
    service = await startService({ env: { BLOCKED_HOSTS_FILE: hosts, WEB_CONCURRENCY: '2' } });
    database = await databaseOf(service);
    const blocked = { reason: 'Phishing', by: 'admin', at: new Date() } as const;
    for (let part = 0; part < 10; part++) {
      await manyStoredLinks(database, OTHERS / 10, {});
      await manyStoredLinks(database, PLANTED / 10, { long_url: LISTED });
      await manyStoredLinks(database, BLOCKED_BY_ADMIN / 10, { long_url: LISTED, blocked });
      await manyStoredLinks(database, BLOCKED_BY_ADMIN / 10, { blocked });
      await manyStoredLinks(database, EXEMPT / 10, { long_url: LISTED, list_exempt: true });
    }
  });
  afterAll(async () => {
    await database.close();
    await service.stop();
    rmSync(folder, { recursive: true });
  });

  const jobs = () => database.collection<JobRecord>('jobs');
  const walk = () => jobs().findOne({ kind: 'block_list' });
  const links = (filter: object) => database.collection('links').countDocuments(filter);
  const applied = () =>
    database
      .collection('audit_trail')
      .find({ act: 'list.apply' })
      .sort({ at: 1 })
      .map(({ after }) => after as object)
      .toArray();

  /**
   * Returns the lease holder; null until the walk has advanced since the last kill, because three
   * claims at the same position end a job.
   */
  async function holder(): Promise<string | null> {
    const record = await walk();
    const isHeld = record?.state === 'running' && record.lease_until > new Date();
    return isHeld && (record.claims ?? 0) < 2 ? record.holder : null;
  }

  /** @returns whether the kill hit the running walk */
  async function kill(isDone: () => Promise<boolean>): Promise<boolean> {
    const isTakenUp = async () => (await holder()) !== null || (await isDone());
    await eventually('it is taken up, or done', isTakenUp);
    await sleep(randomInt(MAX_WAIT_MS));
    const held = { kind: 'block_list', state: 'running', holder: await holder() } as const;
    const [pid] = jobsPids(service);
    if (pid === undefined || held.holder === null) return false;
    process.kill(pid, 'SIGKILL');
    await eventually('it is gone', () => !jobsPids(service).includes(pid));
    // Expires the lease, which would block the walk for half a minute.
    const given = { $set: { lease_until: new Date(0) } };
    return (await jobs().updateOne(held, given)).matchedCount > 0;
  }

  async function change(list: string): Promise<number> {
    const entries = (await applied()).length;
    const isDone = async (): Promise<boolean> =>
      (await applied()).length > entries && (await walk())?.state === 'done';
    let kills = 0;
    writeFileSync(hosts, list);
    while (kills < KILLS && !(await isDone())) if (await kill(isDone)) kills += 1;
    await eventually('all is walked', isDone);
    return kills;
  }

  async function expectBlockedByList(count: number): Promise<void> {
    expect(await links(BY_LIST)).toBe(count);
    expect(await links({ ...BY_LIST, long_url: LISTED, list_exempt: { $exists: false } })).toBe(
      count,
    );
    expect(await links({ ...BY_ADMIN, long_url: LISTED })).toBe(BLOCKED_BY_ADMIN);
    expect(await links(BY_ADMIN)).toBe(2 * BLOCKED_BY_ADMIN);
    expect(await links({ blocked: { $exists: true } })).toBe(count + 2 * BLOCKED_BY_ADMIN);
    expect(await links({ list_exempt: true, blocked: { $exists: false } })).toBe(EXEMPT);
  }

  it('closes and opens the right links and logs it once, even if its process is killed repeatedly', async () => {
    const closing = await change('evil.example\n');
    await expectBlockedByList(PLANTED);
    const opening = await change('# none\n');
    await expectBlockedByList(0);
    process.stdout.write(`${closing} and ${opening} kills within walks\n`);
    expect(Math.min(closing, opening)).toBeGreaterThan(0);
    // Each web process requests a walk. The second walk has nothing to do.
    expect(await applied()).toEqual([
      { blocked: PLANTED, unblocked: 0 },
      { blocked: 0, unblocked: PLANTED },
    ]);
  });
});

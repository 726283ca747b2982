import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Connection } from 'mongoose';
import request from 'supertest';
import { databaseOf } from '../../support/database';
import { clearOfHourEnd } from '../../support/clear-of-hour-end';
import { journalEmpty } from '../../support/exact-clicks';
import {
  anAccount,
  anAdmin,
  anEmail,
  aVerifiedAccount,
  type TestAccount,
  WITH_ADMIN,
} from '../../support/factories/accounts';
import { aLink } from '../../support/factories/links';
import { anAddress, bearer, post, visit } from '../../support/http';
import { eventually, freePort, type Service, startService } from '../../support/service';

const DAY_MS = 86_400_000;

async function overviewOf(service: Service, { accessToken }: TestAccount) {
  const answer = await request(service.url)
    .get('/api/v1/admin/overview')
    .set({ 'X-Forwarded-For': anAddress(), ...bearer(accessToken) });
  expect(answer.status).toBe(200);
  return answer.body as Record<string, Record<string, unknown>>;
}

describe('The overview for admins', () => {
  let folder: string;
  let service: Service;
  let database: Connection;
  let admin: TestAccount;
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'curtail-overview-'));
    writeFileSync(join(folder, 'hosts'), 'evil.example\nworse.example\n not a host at all!\n');
    writeFileSync(join(folder, 'urls'), 'casino\n(\n');
    const env = {
      ...WITH_ADMIN,
      BLOCKED_HOSTS_FILE: join(folder, 'hosts'),
      BLOCKED_URLS_FILE: join(folder, 'urls'),
    };
    service = await startService({ env: { ...env, WEB_CONCURRENCY: '2' } });
    database = await databaseOf(service);
    admin = await anAdmin(service);
  });
  afterAll(async () => {
    await database.close();
    await service.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  it('contains correct figures', async () => {
    await clearOfHourEnd();
    const begun = Date.now();
    const user = await aVerifiedAccount(service);
    const [suspended, leaving] = [await anAccount(service), await anAccount(service)];
    const accounts = database.collection('accounts');
    await accounts.updateOne(
      { email: suspended.email },
      { $set: { suspended: { at: new Date(), by: null, reason: 'x' } } },
    );
    await accounts.updateOne(
      { email: leaving.email },
      { $set: { deletes_at: new Date(), created_at: new Date(Date.now() - 8 * DAY_MS) } },
    );
    const links = [];
    for (let i = 0; i < 3; i++) links.push(await aLink(service));
    const own = await post(service, '/api/v1/shorten', { long_url: 'https://a.test/' }).set(
      bearer(user.accessToken),
    );
    expect(own.status).toBe(201);
    await database
      .collection('links')
      .updateOne({ alias: links[2]?.alias }, { $set: { created_at: new Date(0) } });
    const [one, two] = links.map(({ alias }) => alias);
    for (const code of [one, one, two]) {
      expect((await visit(service, code ?? '')).status).toBe(302);
    }
    await eventually('the clicks are counted', async () => {
      const [sums] = await database
        .collection('links')
        .aggregate<{ n: number }>([{ $group: { _id: null, n: { $sum: '$total_clicks' } } }])
        .toArray();
      return sums?.n === 3;
    });
    await journalEmpty(service.dataDir);
    await post(service, '/api/v1/reports', {
      items: [{ code_or_url: two, reason: 'spam' }],
    });
    const block = await request(service.url)
      .post(`/api/v1/admin/urls/${links[0]?.id}/block`)
      .set({ 'X-Forwarded-For': anAddress(), ...bearer(admin.accessToken) })
      .send({ reason: 'Phishing' });
    expect(block.status).toBe(200);
    await database.collection('mail_failures').insertMany([
      ...[1, 2].map((hours) => ({
        _id: new Date(begun - hours * 3_600_000) as never,
        count: hours,
        last_at: new Date(begun - hours * 3_600_000),
        expires_at: new Date(begun + DAY_MS),
      })),
      {
        _id: new Date(begun - 2 * DAY_MS) as never,
        ...{
          count: 7,
          last_at: new Date(begun - 2 * DAY_MS),
          expires_at: new Date(begun + DAY_MS),
        },
      },
    ]);
    const job = { kind: 'account_export', owner: null, files: [], counts: {}, node: 'elsewhere' };
    const lease = { holder: null, lease_until: new Date(0), created_at: new Date(), done: 0 };
    await database.collection('jobs').insertMany([
      { ...job, ...lease, state: 'failed', finished_at: new Date() },
      { ...job, ...lease, state: 'failed', finished_at: new Date(begun - 2 * DAY_MS) },
      { ...job, ...lease, state: 'queued' },
    ]);
    await database
      .collection<{ _id: string; value: unknown }>('settings')
      .insertOne({ _id: 'last_backup', value: '2026-01-02T03:04:05.000Z' });

    const overview = await overviewOf(service, admin);
    expect(overview).toMatchObject({
      version: { curtail: '1.0.0', node: process.versions.node },
      accounts: { total: 4, verified: 2, suspended: 1, admins: 1, deleting: 1, last_7_days: 3 },
      links: { total: 4, anonymous: 3, blocked: 1, last_7_days: 3 },
      clicks: { total: 3, imported_clicks: 0, today: 3, last_7_days: 3 },
      reports: { open: 1 },
      lists: { hosts: 2, patterns: 1, unreadable: 2 },
      journal: { files: 0, bytes: 0, oldest_at: null, quarantined: 0 },
      mail: {
        transport: 'outbox',
        failed_24h: 3,
        last_failure_at: new Date(begun - 3_600_000).toISOString(),
      },
      last_backup_at: '2026-01-02T03:04:05.000Z',
    });
    const attention = (overview.attention as unknown as object[]).filter(
      (item) => !['disk', 'alpha_database'].includes((item as { kind: string }).kind),
    );
    expect(attention).toEqual([
      { kind: 'backup', count: Math.floor((begun - Date.parse('2026-01-02T03:04:05Z')) / DAY_MS) },
      { kind: 'reports', count: 1 },
      { kind: 'mail_failed', count: 3 },
      { kind: 'jobs_failed', count: 1 },
      { kind: 'unreadable', count: 2 },
      { kind: 'outbox', count: null },
    ]);
    expect(overview.jobs).toMatchObject({ failed_24h: 1 });
    expect(overview.jobs?.queued).toBeGreaterThanOrEqual(1);
    expect(overview.version?.database).toMatch(/^\d+\.\d+\.\d+/);
    const { database_bytes, data_dir_bytes, free_bytes } = overview.storage ?? {};
    expect(database_bytes).toBeGreaterThan(10_000);
    expect(data_dir_bytes).toBeGreaterThan(0);
    expect(free_bytes).toBeGreaterThan(1_000_000);
    const startedAt = Date.parse(overview.started_at as unknown as string);
    expect(startedAt).toBeLessThan(begun);
    expect(startedAt).toBeGreaterThan(begun - 600_000);
  });

  it('shows every email that could not be sent, and reuses figures while they are fresh', async () => {
    await database.collection('mail_failures').deleteMany({});
    const nobody = `smtp://127.0.0.1:${await freePort()}`;
    const env = { ...WITH_ADMIN, SMTP_URL: nobody };
    const own = await startService({ env, database: service.database });
    for (let i = 0; i < 2; i++) {
      const body = { email: anEmail(), password: 'Corr3ct-Horse' };
      expect([201, 500]).toContain((await post(own, '/auth/register', body)).status);
    }
    const failed = async () => {
      const found = await database.collection('mail_failures').find().toArray();
      return found.reduce((sum, { count }) => sum + (count as number), 0);
    };
    await eventually('both emails have failed', async () => (await failed()) >= 2);
    const before = await overviewOf(own, admin);
    expect(before.mail).toMatchObject({ transport: 'smtp', failed_24h: await failed() });
    expect(before.mail?.last_failure_at).toMatch(/Z$/);
    await aLink(own);
    expect(await overviewOf(own, admin)).toEqual(before);
    await own.stop();
  });
});

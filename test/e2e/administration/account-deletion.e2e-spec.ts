import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Connection, mongo } from 'mongoose';
import request from 'supertest';
import { manyStoredLinks } from '../../support/shared/stored-link';
import {
  aKey,
  anAdmin,
  aVerifiedAccount,
  STRONG_PASSWORD,
  type TestAccount,
  WITH_ADMIN,
} from '../../support/factories/accounts';
import { aCheckedImport } from '../../support/factories/imports';
import { accountGone, databaseOf } from '../../support/database';
import { becomesEverywhere, statusesOf } from '../../support/everywhere';
import { anAddress, bearer, post, visit } from '../../support/http';
import { jobsPid, jobsPids } from '../../support/processes';
import { eventually, type Service, startService } from '../../support/service';

const UNKNOWN = 'f'.repeat(24);
/** Number of kills of the process that deletes. */
const KILLS = Number(process.env.DELETION_KILLS ?? 2);
/** Number of links, enough for every kill to hit a running deletion. */
const LINKS = KILLS * 600;
const REASON = 'Asked for by email';
const PLANTED = /planted-[\w-]+/g;

describe('The deletion of an account by an admin', () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'curtail-deletion-'));
  let service: Service;
  let database: Connection;
  let admin: TestAccount;
  beforeAll(async () => {
    service = await startService({ dataDir, env: { ...WITH_ADMIN, WEB_CONCURRENCY: '2' } });
    database = await databaseOf(service);
    admin = await anAdmin(service);
  });
  afterAll(async () => {
    await database.close();
    await service.stop();
    rmSync(dataDir, { recursive: true, force: true });
  });

  type Method = 'get' | 'post' | 'put' | 'delete';
  const call = (method: Method, path: string, token: string, body?: object) =>
    request(service.url)
      [method](path)
      .set({ 'X-Forwarded-For': anAddress(), ...bearer(token) })
      .send(body);
  const asAdmin = (method: Method, path: string, body?: object) =>
    call(method, `/api/v1/admin/accounts${path}`, admin.accessToken, body);
  const remove = ({ userId, email }: TestAccount) =>
    asAdmin('delete', `/${userId}`, { email, reason: REASON });
  const isGone = async ({ userId }: TestAccount): Promise<void> => {
    await accountGone(database, userId);
    expect((await asAdmin('get', `/${userId}`)).status).toBe(404);
  };

  /** Pauses the jobs process as soon as it exists. */
  async function holding(work: () => Promise<void>): Promise<void> {
    const pid = await jobsPid(service);
    process.kill(pid, 'SIGSTOP');
    try {
      await work();
    } finally {
      process.kill(pid, 'SIGCONT');
    }
  }

  it('closes the account immediately in all processes, and deletes all its data', async () => {
    const user = await aVerifiedAccount(service);
    const key = await aKey(service, user, ['urls:read']);
    const { body: link } = await call('post', '/api/v1/shorten', user.accessToken, {
      long_url: 'https://example.com/gone',
    });
    await visit(service, link.alias as string);
    await aCheckedImport(service, user);
    await holding(async () => {
      const { status, body } = await remove(user);
      expect(status).toBe(202);
      expect(body).toEqual({
        deletes_at: expect.any(Number),
        job: expect.objectContaining({ id: user.userId, kind: 'account_deletion' }),
      });
      await becomesEverywhere(() => call('get', '/api/v1/urls', user.accessToken), 401);
      await becomesEverywhere(() => call('get', '/api/v1/urls', key), 401);
      await becomesEverywhere(() => visit(service, link.alias as string), 410);
      const { email } = user;
      const login = await post(service, '/auth/login', { email, password: STRONG_PASSWORD });
      expect([login.status, login.body.error_code ?? login.body.code]).toEqual([403, 'forbidden']);
      const registered = await post(service, '/auth/register', {
        email,
        password: STRONG_PASSWORD,
      });
      expect(registered.status).toBe(409);
      const found = await asAdmin('get', `?status=deleting&search=${email}`);
      expect(found.body.items).toMatchObject([{ id: user.userId }]);
      expect(found.body.items[0].deletes_at).toMatch(/Z$/);
      for (const [method, path, given] of [
        ['post', 'suspend', { reason: REASON }],
        ['post', 'unsuspend', {}],
        ['put', 'role', { role: 'user' }],
        ['post', 'end-sessions', {}],
        ['post', 'password-reset', {}],
      ] as const) {
        const { status: refused } = await asAdmin(method, `/${user.userId}/${path}`, given);
        expect([path, refused]).toEqual([path, 409]);
      }
      const again = await asAdmin('post', `/${user.userId}/delete`, { email, reason: 'Again' });
      expect([again.status, again.body.deletes_at]).toEqual([202, body.deletes_at]);
    });
    await isGone(user);
    await becomesEverywhere(() => visit(service, link.alias as string), 404);
    expect(await statusesOf(() => call('get', '/api/v1/urls', user.accessToken))).toEqual([401]);
    expect(await statusesOf(() => call('get', '/api/v1/urls', key))).toEqual([401]);
    const { body: trail } = await call(
      'get',
      `/api/v1/admin/trail?subject=${user.userId}`,
      admin.accessToken,
    );
    expect(trail.items).toMatchObject([
      { act: 'account.delete', reason: REASON, subject: { id: user.userId, email: null } },
    ]);
    const { body: taken } = await call('post', '/api/v1/shorten', admin.accessToken, {
      ...{ long_url: 'https://example.com/new', alias: link.alias },
    });
    expect(taken.alias).toBe(link.alias);
    const anew = await aVerifiedAccount(service, user.email);
    expect(anew.userId).not.toBe(user.userId);
  });

  it('is refused with a reason', async () => {
    const user = await aVerifiedAccount(service);
    const { userId, email } = user;
    for (const [path, body, status, field] of [
      [userId, { email: 'other@example.com', reason: REASON }, 400, 'email'],
      [userId, { email: '', reason: REASON }, 400, 'email'],
      [userId, { email }, 422, 'reason'],
      [userId, { email, reason: ' ' }, 422, 'reason'],
      [userId, { reason: REASON }, 422, 'email'],
      [userId, { email: 5, reason: REASON }, 422, 'email'],
      [UNKNOWN, { email, reason: REASON }, 404, undefined],
      ['x', { email, reason: REASON }, 400, undefined],
      [admin.userId, { email: admin.email, reason: REASON }, 400, undefined],
    ] as const) {
      const { status: answered, body: told } = await asAdmin('delete', `/${path}`, body);
      expect([body, answered]).toEqual([body, status]);
      if (field !== undefined) expect(JSON.stringify(told)).toContain(field);
    }
    expect((await asAdmin('get', `/${userId}`)).body.deletes_at).toBeNull();
    expect(await statusesOf(() => call('get', '/api/v1/urls', user.accessToken))).toEqual([200]);
  });

  it('leaves one admin if two admins delete each other at the same time', async () => {
    const other = await aVerifiedAccount(service);
    await asAdmin('put', `/${other.userId}/role`, { role: 'admin' });
    const path = (of: TestAccount) => `/api/v1/admin/accounts/${of.userId}`;
    const [one, two] = await Promise.all([
      call('delete', path(other), admin.accessToken, { email: other.email, reason: REASON }),
      call('delete', path(admin), other.accessToken, { email: admin.email, reason: REASON }),
    ]);
    const answers = [one.status, two.status].sort();
    expect(answers[0]).toBe(202);
    expect([400, 401, 404]).toContain(answers[1]);
    const removed = two.status === 202 ? admin : other;
    if (two.status === 202) admin = other;
    await isGone(removed);
    expect((await call('get', '/api/v1/admin/overview', admin.accessToken)).status).toBe(200);
  });

  it('leaves no text that the account wrote or received', async () => {
    const user = await aVerifiedAccount(service, `planted-mail-${Date.now()}@example.com`);
    const earlier = `planted-earlier-${Date.now()}@example.com`;
    await database
      .collection('accounts')
      .updateOne(
        { email: user.email },
        { $set: { earlier: [{ email: earlier, changed_at: new Date(), held_until: new Date() }] } },
      );
    const other = await aVerifiedAccount(service);
    const planted = (what: string) => `planted-${what}`;
    const own = (method: Method, path: string, body?: object) =>
      call(method, path, user.accessToken, body);
    await request(service.url)
      .patch('/auth/me')
      .set({ 'X-Forwarded-For': anAddress(), ...bearer(user.accessToken) })
      .send({ user_name: planted('name') });
    await own('post', '/api/v1/keys', {
      name: planted('key'),
      description: planted('about'),
      scopes: ['urls:read'],
    });
    await own('post', '/api/v1/tags', { name: planted('tag') });
    await own('post', '/api/v1/utm-templates', {
      name: planted('template'),
      source: planted('source'),
    });
    const { body: link } = await request(service.url)
      .post('/api/v1/shorten')
      .set({ 'X-Forwarded-For': anAddress(), 'Idempotency-Key': planted('request') })
      .set(bearer(user.accessToken))
      .send({
        long_url: `https://example.com/${planted('destination')}?utm_campaign=${planted('campaign')}`,
        expired_redirect_url: `https://example.com/${planted('expired')}`,
        pre_start_url: `https://example.com/${planted('early')}`,
        geo_rules: { FR: `https://example.com/${planted('geo')}` },
        ab_variants: [
          {
            key: planted('variant'),
            url: `https://example.com/${planted('variant-to')}`,
            weight: 1,
          },
          { key: 'b', url: `https://example.com/${planted('other')}`, weight: 1 },
        ],
        alias: `planted-al${Date.now() % 1000}`,
        title: planted('title'),
        note: planted('note'),
        tags: [planted('tag')],
      });
    expect(link.alias).toContain('planted-al');
    await own('post', '/api/v1/custom-domains', { fqdn: `${planted('domain')}.example.com` });
    await request(service.url)
      .get(`/${link.alias}?utm_source=${planted('click')}`)
      .set({ 'X-Forwarded-For': anAddress(), Referer: `https://${planted('referrer')}.example/` });
    const { body: stranger } = await call('post', '/api/v1/shorten', other.accessToken, {
      long_url: 'https://example.com/kept',
    });
    await own('post', '/api/v1/reports', {
      items: [{ code_or_url: stranger.alias, reason: 'spam' }],
      reporter_email: user.email,
      reporter_org: planted('org'),
    });
    await aCheckedImport(service, user);
    await eventually('the click is stored', async () => {
      const { body } = await own('get', '/api/v1/urls');
      return body.items?.[0]?.total_clicks === 1;
    });
    const before = new Set((await dump()).match(PLANTED));
    expect([...before].sort()).toHaveLength(20);
    const { body: made } = await own('post', '/api/v1/account/exports');
    const id = made.id as string;
    await eventually('the export is done', async () => {
      return (await own('get', `/api/v1/account/exports/${id}`)).body.state === 'done';
    });
    expect(await dump()).toContain(id);
    expect((await remove(user)).status).toBe(202);
    await isGone(user);
    await eventually('the last email is written', () => mailsWith(user.email).length === 1);
    const left = await dump();
    expect([left.match(PLANTED), left.includes(id)]).toEqual([null, false]);
    expect(mailsWith(earlier)).toEqual([]);
    const files = readdirSync(dataDir, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile() && !entry.parentPath.endsWith('outbox'))
      .map(({ parentPath, name }) => readFileSync(join(parentPath, name), 'latin1'));
    expect(files.length).toBeGreaterThan(0);
    expect([...files, service.log()].join('\n').match(PLANTED)).toBeNull();
    expect((await visit(service, stranger.alias as string)).status).toBe(302);
  });

  it(
    'finishes even if its process is killed, and affects no other account',
    async () => {
      const user = await aVerifiedAccount(service);
      const other = await aVerifiedAccount(service);
      for (const { userId } of [user, other]) {
        await manyStoredLinks(database, LINKS, { owner: new mongo.ObjectId(userId) });
      }
      expect((await remove(user)).status).toBe(202);
      const count = (of: TestAccount) =>
        database.collection('links').countDocuments({ owner: new mongo.ObjectId(of.userId) });
      for (let kill = 0; kill < KILLS; kill++) {
        const [pid] = jobsPids(service);
        if (pid !== undefined) process.kill(pid, 'SIGKILL');
        const before = await count(user);
        if (before === 0) break;
        // Expires the lease, which would block the job for half a minute.
        await database
          .collection('jobs')
          .updateOne(
            { _id: new mongo.ObjectId(user.userId), state: 'running' },
            { $set: { lease_until: new Date(0) } },
          );
        await eventually('it goes on', async () => (await count(user)) < before);
      }
      await isGone(user);
      expect([await count(user), await count(other)]).toEqual([0, LINKS]);
    },
    300_000 + KILLS * 60_000,
  );

  async function dump(): Promise<string> {
    const { db } = database;
    if (db === undefined) throw new Error('The connection is not open');
    const parts: string[] = [];
    for (const { name } of await db.listCollections({}, { nameOnly: true }).toArray()) {
      for await (const document of db.collection(name).find())
        parts.push(mongo.BSON.EJSON.stringify(document));
    }
    return parts.join('\n');
  }

  function mailsWith(address: string): string[] {
    const folder = join(dataDir, 'outbox');
    return readdirSync(folder)
      .map((name) => readFileSync(join(folder, name), 'utf8'))
      .filter((mail) => mail.includes(address));
  }
});

import { randomBytes } from 'node:crypto';
import { Types } from 'mongoose';
import { ApiClient } from '../../support/api-client';
import { curtail } from '../../support/curtail';
import { accountGone, databaseOf } from '../../support/database';
import { storedDomain } from '../../support/factories/domains';
import { visit } from '../../support/http';
import { mailsTo } from '../../support/outbox';
import { eventually, type Service, startService, TEST_SECRET } from '../../support/service';

const DOMAINS = '/api/v1/custom-domains';
const ADMIN = '/api/v1/admin';
const aName = (): string => `s${randomBytes(5).toString('hex')}.example.net`;

describe('Domains shared by all accounts (docs/contract.md#36)', () => {
  let service: Service;
  let admin: ApiClient;
  let owner: ApiClient;
  let user: ApiClient;
  beforeAll(async () => {
    // All accounts see shared domains.
    service = await startService({ own: true });
    [admin, owner] = [await anAdminClient(), await anAdminClient()];
    user = await ApiClient.on(service);
  });
  afterAll(() => service.stop());

  async function anAdminClient(): Promise<ApiClient> {
    const client = await ApiClient.on(service);
    await setRole(client, 'admin');
    return client;
  }

  async function setRole({ account }: ApiClient, role: string): Promise<void> {
    const database = await databaseOf(service);
    const _id = new Types.ObjectId(account.userId);
    await database.collection('accounts').updateOne({ _id }, { $set: { role } });
    await database.close();
  }

  const setShared = (id: string, shared: unknown, more: object = {}, caller = admin) =>
    caller.call('put', `${ADMIN}/domains/${id}/shared`, { shared, ...more });
  async function aShared(by = owner): Promise<{ id: string; fqdn: string }> {
    const fqdn = aName();
    const id = await storedDomain(service, by.account, fqdn);
    expect((await setShared(id, true)).status).toBe(200);
    return { id, fqdn };
  }
  const create = (client: ApiClient, domain: string, alias?: string) =>
    client.call('post', '/api/v1/shorten', { long_url: 'https://example.com/to', domain, alias });
  const redirects = async (fqdn: string, alias: string): Promise<number> =>
    (await visit(service, alias, { Host: `${fqdn}:${service.port}` })).status;
  const urlsOn = async (client: ApiClient, fqdn: string): Promise<number> =>
    (await client.list({ domain: fqdn })).body.total as number;

  it('are shared by admins, listed for other accounts, and recorded', async () => {
    const fqdn = aName();
    const id = await storedDomain(service, owner.account, fqdn);
    expect((await create(user, fqdn)).body).toMatchObject({ field: 'domain' });
    const shared = await setShared(id, true, { reason: 'For everyone' });
    expect([shared.status, shared.body]).toEqual([
      200,
      {
        ...{ id, fqdn, status: 'active', shared: true, links: 0, links_of_others: 0 },
        owner: { id: owner.account.userId, email: owner.account.email },
        created_at: expect.stringMatching(/Z$/),
        last_verified_at: expect.stringMatching(/Z$/),
      },
    ]);
    expect((await setShared(id, true)).status).toBe(200);
    const listed = await admin.call('get', `${ADMIN}/domains?search=${fqdn.toUpperCase()}`);
    expect(listed.body).toMatchObject({ total: 1, items: [{ id, shared: true }] });
    const none = await admin.call('get', `${ADMIN}/domains?search=${fqdn}&shared=false`);
    expect(none.body.total).toBe(0);
    const key = await user.withKey('shorten:create');
    const offered = await key.call('get', `${DOMAINS}/shared?pageSize=100`);
    expect(offered.body.items).toContainEqual({ fqdn, status: 'active', shared: true });
    const own = await owner.call('get', `${DOMAINS}/shared?pageSize=100`);
    expect(JSON.stringify(own.body)).not.toContain(fqdn);
    expect((await user.call('get', `${DOMAINS}/${id}`)).status).toBe(404);
    expect((await user.call('patch', `${DOMAINS}/${id}`, { is_default: true })).status).toBe(404);
    expect((await setShared(id, false)).body.shared).toBe(false);
    const trail = await admin.call('get', `${ADMIN}/trail?subject=${id}`);
    expect(trail.body.items).toMatchObject([
      { act: 'domain.unshare', subject: { kind: 'domain', id }, after: { shared: false } },
      { act: 'domain.share', reason: 'For everyone', before: { shared: false } },
    ]);
    await eventually('both emails', () => {
      const mails = mailsTo(service, owner.account.email).filter((mail) => mail.includes(fqdn));
      return mails.length === 2;
    });
  });

  it('have one namespace, even if several accounts create links concurrently', async () => {
    const { fqdn, id } = await aShared();
    const accounts = await Promise.all(Array.from({ length: 5 }, () => ApiClient.on(service)));
    const calls = [...accounts, ...accounts].map((client) => create(client, fqdn, 'one'));
    const statuses = (await Promise.all(calls)).map(({ status }) => status).sort();
    expect(statuses).toEqual([201, ...Array<number>(9).fill(409)]);
    const path = `/api/v1/shorten/check-alias?alias=one&domain=${fqdn}`;
    expect((await user.call('get', path)).body).toEqual({ available: false, reason: 'taken' });
    const { body } = await owner.call('get', `${DOMAINS}/${id}`);
    expect(body).toMatchObject({ shared: true, links: 1, links_of_others: 1 });
  });

  it('have links that only their owners find in lists, statistics and deletions', async () => {
    const { fqdn } = await aShared();
    const own = await owner.aLink({ domain: fqdn, alias: 'own' });
    const link = await user.aLink({ domain: fqdn, alias: 'mine' });
    const moved = await user.update((await user.aLink({ alias: fqdn.slice(0, 8) })).id, {
      domain: fqdn,
    });
    expect(moved.body).toMatchObject({ domain: fqdn });
    expect(await user.aLink()).toMatchObject({ domain: null });
    expect(await redirects(fqdn, 'mine')).toBe(302);
    expect([await urlsOn(user, fqdn), await urlsOn(owner, fqdn)]).toEqual([2, 1]);
    const found = await user.list({ filter: JSON.stringify({ search: `${fqdn}/mine` }) });
    expect(found.body.items).toMatchObject([{ id: link.id }]);
    expect((await user.call('get', `/api/v1/urls/${fqdn}/mine`)).body).toMatchObject({
      id: link.id,
    });
    expect((await owner.call('get', `/api/v1/urls/${fqdn}/mine`)).status).toBe(404);
    expect((await owner.update(link.id, { title: 'x' })).status).toBe(403);
    const stats = `/api/v1/stats?scope=all&short_code=${encodeURIComponent(`${fqdn}/mine`)}`;
    expect([
      (await user.call('get', stats)).status,
      (await owner.call('get', stats)).status,
    ]).toEqual([200, 403]);
    const stranger = await ApiClient.on(service);
    const remove = (client: ApiClient) => client.call('delete', `/api/v1/urls?domain=${fqdn}`);
    expect((await remove(stranger)).status).toBe(404);
    expect((await remove(owner)).body).toMatchObject({ count: 1, remaining: 0 });
    expect((await owner.show(own.id)).status).toBe(404);
    expect((await remove(user)).body).toMatchObject({ count: 2, remaining: 0 });
  });

  it('keep existing links after sharing ends, until the domain is removed', async () => {
    const { id, fqdn } = await aShared();
    const link = await user.aLink({ domain: fqdn, alias: 'kept' });
    const other = await user.aLink();
    await owner.aLink({ domain: fqdn });
    const refused = await owner.call('delete', `${DOMAINS}/${id}?cascade=true`);
    expect([refused.status, refused.body.code]).toEqual([409, 'conflict']);
    const stopped = await owner.call('patch', `${DOMAINS}/${id}`, { shared: false });
    expect(stopped.body).toMatchObject({ shared: false, links: 2, links_of_others: 1 });
    expect((await owner.call('patch', `${DOMAINS}/${id}`, { shared: false })).status).toBe(200);
    for (const answer of [
      await create(user, fqdn),
      await user.update(other.id, { domain: fqdn }),
      await owner.call('patch', `${DOMAINS}/${id}`, { shared: true }),
    ]) {
      expect([answer.status, ['domain', 'shared']]).toEqual([
        400,
        expect.arrayContaining([answer.body.field]),
      ]);
    }
    const renamed = await user.update(link.id, { domain: fqdn, alias: 'renamed' });
    expect(renamed.body).toMatchObject({ domain: fqdn, alias: 'renamed' });
    expect(await redirects(fqdn, 'renamed')).toBe(302);
    const removed = await owner.call('delete', `${DOMAINS}/${id}?cascade=true`);
    expect(removed.body).toMatchObject({ cascade: true, urls_deleted: 1 });
    expect(await redirects(fqdn, 'renamed')).toBe(404);
    expect(await urlsOn(user, fqdn)).toBe(1);
    const blocked = await owner.call('delete', `${DOMAINS}/${id}/permanent`);
    expect(blocked.status).toBe(409);
    expect(blocked.body.error).toContain('1 link');
    expect((await user.update(link.id, { domain: null })).status).toBe(200);
    expect((await owner.call('delete', `${DOMAINS}/${id}/permanent`)).status).toBe(204);
  });

  it('lose no link and no redirect while sharing begins and ends', async () => {
    const { id, fqdn } = await aShared();
    // A separate account, because these creations use up its limit.
    const busy = await ApiClient.on(service);
    await busy.aLink({ domain: fqdn, alias: 'steady' });
    const created: string[] = [];
    let isOver = false;
    const load = async (): Promise<void> => {
      for (let i = 0; !isOver; i++) {
        expect(await redirects(fqdn, 'steady')).toBe(302);
        if (i % 4 !== 0) continue;
        const { status, body } = await create(busy, fqdn);
        expect([201, 400, 429]).toContain(status);
        if (status === 201) created.push(body.alias as string);
      }
    };
    const visits = [load(), load()];
    for (let i = 0; i < 10; i++) {
      expect((await setShared(id, i % 2 === 1)).body.shared).toBe(i % 2 === 1);
    }
    isOver = true;
    await Promise.all(visits);
    expect(await urlsOn(busy, fqdn)).toBe(created.length + 1);
  });

  it('reject bad input and other callers', async () => {
    const { id, fqdn } = await aShared();
    for (const [path, shared, status] of [
      [id, undefined, 422],
      [id, 'true', 422],
      ['x', true, 400],
      ['0123456789abcdef01234567', true, 404],
    ] as const) {
      expect([path, (await setShared(path, shared)).status]).toEqual([path, status]);
    }
    for (const query of ['status=ACTIVE', 'shared=yes', 'page=0', `search=${'x'.repeat(254)}`]) {
      const answer = await admin.call('get', `${ADMIN}/domains?${query}`);
      expect([query, answer.status]).toEqual([query, 422]);
    }
    for (const caller of [user, await admin.withKey('admin:all')]) {
      expect((await setShared(id, false, {}, caller)).status).toBe(404);
      expect((await caller.call('get', `${ADMIN}/domains`)).status).toBe(404);
    }
    expect((await owner.call('patch', `${DOMAINS}/${id}`, { shared: null })).status).toBe(422);
    const foreign = await storedDomain(service, user.account, aName());
    const asleep = await storedDomain(service, owner.account, aName(), { status: 'suspended' });
    for (const refusedId of [foreign, asleep]) {
      const { status, body } = await setShared(refusedId, true);
      expect([status, body.field]).toEqual([400, 'shared']);
      expect((await setShared(refusedId, false)).status).toBe(200);
    }
    await setRole(owner, 'user');
    expect((await setShared(id, true)).status).toBe(200);
    expect((await create(user, fqdn)).status).toBe(201);
    await setShared(id, false);
    expect((await setShared(id, true)).status).toBe(400);
    await setRole(owner, 'admin');
  });

  it("remain after the deletion of the owner's account while other accounts have links on them", async () => {
    const leaving = await anAdminClient();
    const { id, fqdn } = await aShared(leaving);
    const link = await user.aLink({ domain: fqdn, alias: 'orphan' });
    const { userId, email } = leaving.account;
    await setRole(leaving, 'user');
    const begun = await admin.call('delete', `${ADMIN}/accounts/${userId}`, {
      ...{ email, reason: 'Asked' },
    });
    expect(begun.status).toBe(202);
    expect((await create(user, fqdn)).status).toBe(400);
    const database = await databaseOf(service);
    await accountGone(database, userId);
    await database.close();
    expect((await admin.call('get', `${ADMIN}/accounts/${userId}`)).status).toBe(404);
    const { body } = await admin.call('get', `${ADMIN}/domains?search=${fqdn}`);
    expect(body.items).toMatchObject([{ id, status: 'revoked', shared: false, owner: null }]);
    expect(body.items[0]).toMatchObject({ links: 1, links_of_others: 1 });
    expect((await user.show(link.id)).body).toMatchObject({ domain: fqdn });
    expect(await urlsOn(user, fqdn)).toBe(1);
    expect(await redirects(fqdn, 'orphan')).toBe(404);
  });

  it('can be shared by commands', async () => {
    const fqdn = aName();
    const id = await storedDomain(service, owner.account, fqdn);
    const run = (...args: string[]) =>
      curtail(service.dataDir, ['admin', ...args], {
        MONGODB_URI: service.mongoUri,
        JWT_SECRET: TEST_SECRET,
      });
    const shared = await run('share-domain', fqdn, '--reason', 'Team', '--json');
    expect([shared.err, shared.code]).toEqual(['', 0]);
    expect(JSON.parse(shared.out)).toMatchObject({ id, fqdn, shared: true });
    await eventually('the service knows', async () => (await create(user, fqdn)).status === 201);
    const listed = await run('list-domains', '--search', fqdn, '--shared', 'true');
    expect(listed.out).toContain(fqdn);
    expect((await run('unshare-domain', id)).code).toBe(0);
    const unknown = await run('share-domain', aName());
    expect(unknown).toMatchObject({ code: 1, out: '', err: 'Domain not found\n' });
  });
});

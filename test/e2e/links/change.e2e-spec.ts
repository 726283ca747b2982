import { aStoredLink, backdate } from '../../support/shared/stored-link';
import { aLink } from '../../support/factories/links';
import { visit } from '../../support/http';
import { databaseOf } from '../../support/database';
import { ApiClient } from '../../support/api-client';
import { eventually, startService, type Service } from '../../support/service';
import { expiringSoon } from '../../support/soon';

const UNKNOWN = 'f'.repeat(24);
const inAnHour = (): number => Math.floor(Date.now() / 1000) + 3600;

describe('PATCH /api/v1/urls/{url_id}', () => {
  let service: Service;
  let owner: ApiClient;

  beforeAll(async () => {
    service = await startService();
  });
  beforeEach(async () => {
    owner = await ApiClient.on(service);
  });
  afterAll(() => service.stop());

  const visits = async (alias: string): Promise<[number, string | undefined]> => {
    const { status, headers } = await visit(service, alias);
    return [status, headers.location];
  };

  it('returns the link in docs/contract.md#6.3, and updated_at equals created_at before a change', async () => {
    const link = await owner.aLink({ password: 'secret1@', max_clicks: 3, block_bots: true });
    const { status, body } = await owner.update(link.id, {});
    expect(status).toBe(200);
    expect(body).toEqual({
      id: link.id,
      alias: link.alias,
      short_url: link.short_url,
      long_url: link.long_url,
      status: 'ACTIVE',
      password_set: true,
      max_clicks: 3,
      expire_after: null,
      block_bots: true,
      count_bots: true,
      domain: null,
      starts_at: null,
      pre_start_url: null,
      expired_redirect_url: null,
      forward_query: false,
      rules: null,
      geo_rules: null,
      ab_variants: null,
      private_stats: true,
      updated_at: link.created_at,
      title: null,
      note: null,
      tags: [],
    });
  });

  it('keeps updated_at if every requested value is already set', async () => {
    const expiry = inAnHour();
    const input = {
      long_url: 'https://example.com/same',
      alias: 'same-alias',
      password: 'secret1@',
      max_clicks: 3,
      expire_after: expiry,
      block_bots: true,
      private_stats: false,
    };
    const link = await owner.aLink(input);
    const database = await databaseOf(service);
    await backdate(database, 'same-alias', new Date(1_700_000_000_000));
    await database.close();
    const { body } = await owner.update(link.id.toUpperCase(), { ...input, status: 'ACTIVE' });
    expect(body.updated_at).toBe(1_700_000_000);
    const changed = await owner.update(link.id, { block_bots: false });
    expect(changed.body.updated_at).toBeGreaterThan(1_700_000_000);
  });

  it('changes the destination immediately, by long_url or url', async () => {
    const link = await owner.aLink();
    await visits(link.alias);
    await owner.update(link.id, { url: 'https://two.test/' });
    expect(await visits(link.alias)).toEqual([302, 'https://two.test/']);
    await owner.update(link.id, { long_url: 'https://three.test/', url: 'https://four.test/' });
    expect(await visits(link.alias)).toEqual([302, 'https://three.test/']);
    const kept = await owner.update(link.id, { long_url: null });
    expect(kept.body.long_url).toBe('https://three.test/');
  });

  it('renames a link immediately, so that the old alias is free', async () => {
    const link = await owner.aLink();
    await visits(link.alias);
    const { body } = await owner.update(link.id, { alias: `renamed-${link.alias}-cut-off` });
    const renamed = `renamed-${link.alias}-cut-off`.slice(0, 16);
    expect(body).toMatchObject({ alias: renamed, hint: 'alias_cut' });
    expect((await visits(renamed))[0]).toBe(302);
    expect((await visits(link.alias))[0]).toBe(404);
    await owner.aLink({ alias: link.alias, long_url: 'https://other.test/' });
    expect(await visits(link.alias)).toEqual([302, 'https://other.test/']);
    expect((await owner.update(link.id, { alias: null })).body.alias).toBe(renamed);
    expect((await owner.update(link.id, { alias: renamed })).status).toBe(200);
  });

  it('returns 400 for reserved aliases and 409 for taken ones', async () => {
    const [one, two] = [await owner.aLink(), await aLink(service)];
    const reserved = await owner.update(one.id, { alias: 'Dashboard' });
    expect(reserved.status).toBe(400);
    expect(reserved.body.field).toBe('alias');
    const taken = await owner.update(one.id, { alias: two.alias });
    expect(taken.status).toBe(409);
    expect(taken.body).toMatchObject({ code: 'conflict', field: 'alias' });
    expect((await visits(two.alias))[0]).toBe(302);
  });

  it('assigns an alias to exactly one of two links that request it concurrently', async () => {
    const links = await Promise.all([owner.aLink(), owner.aLink(), owner.aLink()]);
    const alias = `x${links[0].alias}`;
    const answers = await Promise.all(links.map(({ id }) => owner.update(id, { alias })));
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 409, 409]);
  });

  it('sets, changes and removes the password immediately', async () => {
    const link = await owner.aLink();
    expect((await visits(link.alias))[0]).toBe(302);
    expect((await owner.update(link.id, { password: 'secret1@' })).body.password_set).toBe(true);
    expect((await visits(link.alias))[0]).toBe(401);
    const right = await visit(service, link.alias, { 'X-Link-Password': 'secret1@' });
    expect(right.status).toBe(302);
    await owner.update(link.id, { password: 'other22@' });
    const old = await visit(service, link.alias, { 'X-Link-Password': 'secret1@' });
    expect(old.body.code).toBe('invalid_password');
    const removed = await owner.update(link.id, { password: null });
    expect(removed.body.password_set).toBe(false);
    expect((await visits(link.alias))[0]).toBe(302);
  });

  it('sets, changes and removes the expiry, and ignores null in other fields', async () => {
    const link = await owner.aLink({ block_bots: true });
    const expiry = inAnHour();
    const set = await owner.update(link.id, { expire_after: expiry, block_bots: null });
    expect(set.body).toMatchObject({ expire_after: expiry, block_bots: true });
    const iso = new Date((expiry + 60) * 1000).toISOString();
    expect((await owner.update(link.id, { expire_after: iso })).body.expire_after).toBe(
      expiry + 60,
    );
    const kept = { private_stats: null, status: null, url: null };
    expect((await owner.update(link.id, { expire_after: null, ...kept })).body).toMatchObject({
      expire_after: null,
      private_stats: true,
      status: 'ACTIVE',
    });
  });

  it('changes bot blocking and the privacy of statistics', async () => {
    const link = await owner.aLink();
    const bot = { 'User-Agent': 'Googlebot/2.1 (+http://www.google.com/bot.html)' };
    expect((await visit(service, link.alias, bot)).status).toBe(302);
    const { body } = await owner.update(link.id, { block_bots: true, private_stats: false });
    expect(body).toMatchObject({ block_bots: true, private_stats: false });
    expect((await visit(service, link.alias, bot)).status).toBe(403);
  });

  it.each([
    ['long_url', ''],
    ['long_url', 5],
    ['url', 5],
    ['alias', 'ab'],
    ['alias', 'with space'],
    ['alias', 7],
    ['password', ''],
    ['password', 'short1@'],
    ['password', false],
    ['max_clicks', -1],
    ['max_clicks', '5'],
    ['max_clicks', 1.5],
    ['max_clicks', 1e308],
    ['max_clicks', 2 ** 53],
    ['expire_after', true],
    ['expire_after', ''],
    ['block_bots', 'true'],
    ['private_stats', 1],
    ['status', 'active'],
    ['status', 1],
  ])('rejects %s = %j with 422', async (field, value) => {
    const link = await owner.aLink();
    const { status, body } = await owner.update(link.id, { [field]: value });
    expect(status).toBe(422);
    expect(body).toMatchObject({ code: 'validation_error', field });
  });

  it.each([
    ['long_url', 'ftp://a.test/'],
    ['password', 'nodigits@'],
    ['password', 'secret1@.'],
    ['expire_after', 1000],
    ['expire_after', 'tomorrow'],
  ])('rejects %s = %j with 400', async (field, value) => {
    const link = await owner.aLink();
    const { status, body } = await owner.update(link.id, { [field]: value });
    expect(status).toBe(400);
    expect(body).toMatchObject({ code: 'validation_error', field });
  });

  it('applies both of two concurrent changes', async () => {
    const link = await owner.aLink();
    await Promise.all([
      owner.update(link.id, { alias: `a${link.alias}` }),
      owner.update(link.id, { long_url: 'https://both.test/' }),
      owner.update(link.id, { block_bots: true }),
      owner.update(link.id, { private_stats: false }),
    ]);
    expect((await owner.show(link.id)).body).toMatchObject({
      alias: `a${link.alias}`,
      long_url: 'https://both.test/',
      block_bots: true,
      private_stats: false,
    });
  });

  it('returns 422 for bodies that are not objects', async () => {
    const link = await owner.aLink();
    for (const body of [[], 'text', 5, null]) {
      const answer = await owner.update(link.id, body);
      expect(answer.status).toBe(422);
      expect(answer.body.field).toBe('input');
    }
  });

  it('checks the schema, id, existence, owner, and rules in this order (docs/contract.md#2, docs/contract.md#6.6)', async () => {
    const foreign = await (await ApiClient.on(service)).aLink();
    const nobodys = await aLink(service);
    const calls = {
      show: (id: string) => owner.show(id),
      update: (id: string) => owner.update(id, { long_url: 'ftp://a.test', alias: 'stats' }),
      status: (id: string) => owner.setStatus(id, 'INACTIVE'),
      remove: (id: string) => owner.remove(id),
    };
    for (const call of Object.values(calls)) {
      for (const id of ['x', '123', `${UNKNOWN}0`, 'g'.repeat(24)]) {
        const malformed = await call(id);
        expect(malformed.status).toBe(400);
        expect(malformed.body).toMatchObject({ code: 'validation_error', field: 'url_id' });
      }
      expect((await call(UNKNOWN)).body).toMatchObject({ code: 'not_found' });
      for (const { id } of [foreign, nobodys]) {
        const refused = await call(id);
        expect(refused.status).toBe(403);
        expect(refused.body.code).toBe('forbidden');
      }
    }
    expect((await owner.update('x', { status: 'off' })).status).toBe(422);
    expect((await owner.setStatus(UNKNOWN, 'off')).status).toBe(422);
    expect((await visits(foreign.alias))[0]).toBe(302);
    expect((await visits(nobodys.alias))[0]).toBe(302);
  });

  it('requires urls:manage for changes and urls:read for reads', async () => {
    const link = await owner.aLink();
    const reader = await owner.withKey('urls:read');
    const manager = await owner.withKey('urls:manage');
    const admin = await owner.withKey('admin:all');
    expect((await reader.show(link.id)).status).toBe(200);
    expect((await manager.show(link.id)).status).toBe(403);
    expect((await admin.show(link.id)).status).toBe(200);
    for (const call of [
      (caller: ApiClient) => caller.update(link.id, { block_bots: true }),
      (caller: ApiClient) => caller.setStatus(link.id, 'ACTIVE'),
    ]) {
      expect((await call(reader)).status).toBe(403);
      expect((await call(manager)).status).toBe(200);
      expect((await call(admin)).status).toBe(200);
    }
    expect((await reader.remove(link.id)).status).toBe(403);
    expect((await manager.remove(link.id)).status).toBe(200);
    const another = await owner.aLink();
    expect((await admin.remove(another.id)).status).toBe(200);
  });
});

describe('PATCH /api/v1/urls/{url_id}/status', () => {
  let service: Service;
  let owner: ApiClient;

  beforeAll(async () => {
    service = await startService();
    owner = await ApiClient.on(service);
  });
  afterAll(() => service.stop());

  it('pauses and resumes a link immediately', async () => {
    const link = await owner.aLink();
    expect((await visit(service, link.alias)).status).toBe(302);
    const off = await owner.setStatus(link.id, 'INACTIVE');
    expect(off.status).toBe(200);
    expect(off.body).toMatchObject({ id: link.id, status: 'INACTIVE' });
    expect((await visit(service, link.alias)).status).toBe(410);
    expect((await owner.setStatus(link.id, 'ACTIVE')).body.status).toBe('ACTIVE');
    expect((await visit(service, link.alias)).status).toBe(302);
  });

  it('changes updated_at every time, even if the status stays the same', async () => {
    const database = await databaseOf(service);
    const old = new Date(1_700_000_000_000);
    const { userId } = owner.account;
    const { mongo } = await import('mongoose');
    const id = await aStoredLink(database, { owner: new mongo.ObjectId(userId), created_at: old });
    await database.close();
    const { body } = await owner.setStatus(id, 'ACTIVE');
    expect(body.updated_at).toBeGreaterThan(1_700_000_000);
  });

  it.each([undefined, null, 'active', 'ON', '', 1, true])('rejects %j with 422', async (status) => {
    const link = await owner.aLink();
    const answer = await owner.setStatus(link.id, status);
    expect(answer.status).toBe(422);
    expect(answer.body.field).toBe('status');
  });

  it('accepts ACTIVE after the expiry, but visits stay 410 and the status INACTIVE until it is moved', async () => {
    const { body: link } = await expiringSoon((expire_after) =>
      owner.call('post', '/api/v1/shorten', { long_url: 'https://example.com/', expire_after }),
    );
    await eventually('the link expires', async () => {
      return (await visit(service, link.alias)).status === 410;
    });
    expect((await owner.show(link.id)).body.status).toBe('INACTIVE');
    expect((await owner.setStatus(link.id, 'ACTIVE')).body.status).toBe('ACTIVE');
    expect((await visit(service, link.alias)).status).toBe(410);
    expect((await owner.show(link.id)).body.status).toBe('INACTIVE');
    expect((await owner.update(link.id, { block_bots: true })).body.status).toBe('INACTIVE');
    expect((await owner.update(link.id, { expire_after: inAnHour() })).body.status).toBe('ACTIVE');
    expect((await visit(service, link.alias)).status).toBe(302);
    await owner.setStatus(link.id, 'INACTIVE');
    expect((await owner.update(link.id, { expire_after: null })).body.status).toBe('INACTIVE');
    expect((await visit(service, link.alias)).status).toBe(410);
  });
});

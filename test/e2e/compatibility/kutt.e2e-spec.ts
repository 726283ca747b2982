import request from 'supertest';
import { clicksCounted, databaseOf } from '../../support/database';
import { clearOfHourEnd } from '../../support/clear-of-hour-end';
import { aKey, aVerifiedAccount, type TestAccount } from '../../support/factories/accounts';
import { anAddress, bearer, shorten, visit } from '../../support/http';
import { type Service, startService } from '../../support/service';

const NO_DOMAIN = { reuse: false, domain: null };

type Method = 'get' | 'post' | 'patch' | 'delete';

describe('The API of Kutt', () => {
  let service: Service;
  let account: TestAccount;
  let key: string;

  beforeAll(async () => {
    service = await startService();
    account = await aVerifiedAccount(service);
    key = await aKey(service, account, ['shorten:create', 'urls:read', 'urls:manage']);
  });
  afterAll(() => service.stop());

  /** Sends requests like the npm package kutt: with a content type even without a body. */
  const send = (method: Method, path: string, body?: object, apiKey = key) => {
    const call = request(service.url)
      [method](`/api/v2${path}`)
      .set({ 'X-API-Key': apiKey, 'Content-Type': 'application/json' });
    return body === undefined ? call : call.send(body);
  };
  const create = (body: object) => send('post', '/links', body);
  const base = () => `http://localhost:${service.port}`;

  it('creates a link, and returns the same link for `reuse`', async () => {
    const body = { target: 'example.com/kutt', customurl: 'kutt-a', description: 'A note' };
    const made = await create({ ...body, expire_in: '2 days', password: null, domain: '' });
    expect([made.status, made.body]).toEqual([
      201,
      {
        id: expect.stringMatching(/^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{4}0{8}$/),
        ...{ address: 'kutt-a', banned: false, description: 'A note', domain: null },
        ...{ created_at: expect.any(String), updated_at: made.body.created_at },
        ...{ expire_in: expect.any(String), link: `${base()}/kutt-a`, password: false },
        ...{ target: 'http://example.com/kutt', visit_count: 0 },
      },
    ]);
    const days = (Date.parse(made.body.expire_in as string) - Date.now()) / 86_400_000;
    expect(Math.round(days)).toBe(2);
    expect(made.headers).toMatchObject({
      ...{ 'access-control-allow-origin': '*', 'cache-control': 'no-store' },
    });
    const again = await create({ target: body.target, customurl: 'kutt-a', reuse: true });
    expect([again.status, again.body.id]).toEqual([200, made.body.id]);
    const taken = await create({ target: 'https://other.test', customurl: 'kutt-a', reuse: true });
    expect([taken.status, taken.body]).toEqual([
      400,
      { error: 'The alias kutt-a is taken', code: 'conflict', field: 'customurl' },
    ]);
    expect(taken.headers['x-error-code']).toBe('conflict');
  });

  it('accepts forms', async () => {
    const { status, body } = await request(service.url)
      .post('/api/v2/links')
      .set('X-Api-Key', ` ${key} `)
      .type('form')
      .send({ target: 'https://a.test/form', reuse: 'false', description: 'true story' });
    expect([status, body.description]).toEqual([201, 'true story']);
  });

  it.each([
    [{}, 'target'],
    [{ target: {} }, 'target'],
    [{ target: 'https://a.test', customurl: 'ab' }, 'customurl'],
    [{ target: 'https://a.test', customurl: 'a.b' }, 'customurl'],
    [{ target: 'https://a.test', customurl: 'Yourls-api.php' }, 'customurl'],
    [{ target: 'https://a.test', customurl: 'ADMIN' }, 'customurl'],
    [{ target: 'https://a.test', customurl: 'x'.repeat(17) }, 'customurl'],
    [{ target: 'https://a.test', expire_in: 'soon' }, 'expire_in'],
    [{ target: 'https://a.test', expire_in: '10s' }, 'expire_in'],
    [{ target: 'https://a.test', password: 'short' }, 'password'],
    [{ target: 'https://a.test', reuse: 'maybe' }, 'reuse'],
    [{ target: 'https://a.test', domain: 'foreign.test' }, 'domain'],
    [{ target: 'https://a.test', domain: ['a'] }, 'domain'],
    [{ target: 'https://a.test', description: 'a\u0000b' }, 'description'],
    [[], 'input'],
  ])('rejects %j, with an error about %s', async (body, field) => {
    const { status, body: error, headers } = await create(body);
    expect([status, error.field, error.code]).toEqual([400, field, 'validation_error']);
    expect(headers['x-error-code']).toBe('validation_error');
    expect(error.error).not.toMatch(/long_url|alias must|expire_after|note must/);
  });

  it('lists links, newest first, from any position', async () => {
    const own = await aVerifiedAccount(service);
    const all = await aKey(service, own, ['admin:all']);
    for (const n of [1, 2, 3, 4]) {
      await send('post', '/links', { target: `https://a.test/${n}`, description: `n${n}` }, all);
    }
    const list = async (query: string) => {
      const { status, body } = await send('get', `/links${query}`, undefined, all);
      expect(status).toBe(200);
      const data = body.data as { description: string }[];
      return [body.total, body.limit, body.skip, data.map(({ description }) => description)];
    };
    expect(await list('')).toEqual([4, 10, 0, ['n4', 'n3', 'n2', 'n1']]);
    expect(await list('?skip=1&limit=2&all=false')).toEqual([4, 2, 1, ['n3', 'n2']]);
    expect(await list('?skip=9')).toEqual([4, 10, 9, []]);
    expect(await list('?limit=abc&skip=-5')).toEqual([4, 10, 0, ['n4', 'n3', 'n2', 'n1']]);
    // The second word excludes links whose generated alias contains "n2".
    expect(await list('?limit=100000&search=n2%20a.test/2')).toEqual([1, 100, 0, ['n2']]);
  });

  it("changes and deletes the caller's links, by id or alias", async () => {
    const { body: link } = await create({ target: 'https://a.test/edit', customurl: 'kutt-edit' });
    const changes = { address: 'kutt-edit2', target: 'b.test', password: 'tulips@2030' };
    const changed = await send('patch', `/links/${link.id}`, changes);
    expect([changed.status, changed.body]).toMatchObject([
      ...[200, { address: 'kutt-edit2', target: 'http://b.test', password: true }],
    ]);
    const open = await send('patch', '/links/kutt-edit2', { password: '', description: null });
    expect([open.status, open.body.password, open.body.description]).toEqual([200, false, null]);
    const { updated_at } = open.body as { updated_at: string };
    const same = await send('patch', '/links/kutt-edit2', {});
    expect([same.status, same.body.updated_at]).toEqual([200, updated_at]);
    const bad = await send('patch', '/links/kutt-edit2', { address: 'a.b' });
    expect([bad.status, bad.body.field]).toEqual([400, 'address']);
    const removed = await send('delete', `/links/${link.id}`);
    expect([removed.status, removed.body]).toEqual([
      ...[200, { message: 'Link has been deleted successfully.' }],
    ]);
    expect((await send('delete', `/links/${link.id}`)).status).toBe(404);
  });

  it("does not find other accounts' links", async () => {
    const other = await aVerifiedAccount(service);
    const { body } = await shorten(service, {
      long_url: 'https://a.test',
      alias: 'kutt-other',
    }).set(bearer(other.accessToken));
    const uuid = `${body.id}00000000`.replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
    const answers = [];
    for (const id of [body.id, uuid, 'kutt-other', 'KUTT-A', 'f'.repeat(24)]) {
      answers.push(
        await send('patch', `/links/${id}`, { target: 'https://b.test' }),
        await send('delete', `/links/${id}`),
        await send('get', `/links/${id}/stats`),
      );
    }
    expect(new Set(answers.map(({ status, body: error }) => `${status} ${error.code}`))).toEqual(
      new Set(['404 not_found']),
    );
  });

  it('returns statistics, also for DELETE, which the npm package sends', async () => {
    const { body: link } = await create({
      target: 'https://a.test/stats',
      customurl: 'kutt-stats',
    });
    await clearOfHourEnd();
    await visit(service, 'kutt-stats', { Referer: 'https://news.test/a' });
    const database = await databaseOf(service);
    await clicksCounted(database, 'kutt-stats', 1);
    await database.close();
    for (const method of ['get', 'delete'] as const) {
      const { status, body } = await send(method, `/links/${link.id}/stats`);
      expect(status).toBe(200);
      expect(body).toMatchObject({ id: link.id, visit_count: 1, updatedAt: expect.any(String) });
      const lengths = { lastDay: 24, lastWeek: 7, lastMonth: 30, lastYear: 12 };
      for (const [period, length] of Object.entries(lengths)) {
        const { stats, views, total } = body[period] as {
          stats: object;
          views: number[];
          total: number;
        };
        expect([period, views.length, views.at(-1), total]).toEqual([period, length, 1, 1]);
        expect(stats).toMatchObject({
          browser: [{ name: 'other', value: 1 }],
          os: [{ name: 'other', value: 1 }],
          referrer: [{ name: 'https://news.test', value: 1 }],
        });
      }
    }
    expect((await send('delete', '/links/kutt-stats')).status).toBe(200);
  });

  const form = (body: object) =>
    request(service.url).post('/api/v2/links').set('X-API-Key', key).type('form').send(body);

  it.each<[string, (target: string) => request.Test]>([
    ['ShareX', (target) => create({ target, password: null, customurl: null, ...NO_DOMAIN })],
    ['Postiz', (target) => create({ target, domain: 'localhost', reuse: false })],
    ['Python', (target) => form({ target, reuse: 'true' })],
    ['Python-2', (target) => form({ target, reuse: 'False' })],
  ])('serves %s', async (client, ask) => {
    const target = `https://a.test/${client}`;
    const { status, body } = await ask(target);
    expect([status, body.target, body.link]).toEqual([
      ...[201, target, expect.stringMatching(/^http:\/\/localhost/)],
    ]);
    // Postiz reads statistics by the alias, and compares the address.
    const alias = (body.link as string).split('/').pop() ?? '';
    const statistics = await send('get', `/links/${alias}/stats`);
    expect([statistics.status, statistics.body.address]).toEqual([200, alias]);
    for (const query of ['all=true', 'limit=1', 'limit=100&skip=0']) {
      const { body: page } = await send('get', `/links?${query}`);
      const [first] = page.data as object[];
      expect(first).toMatchObject({ link: body.link, address: alias, visit_count: 0 });
    }
  });

  it('requires a key with the scope, except for /health', async () => {
    const health = await request(service.url).get('/api/v2/health');
    expect([health.status, health.type, health.text]).toEqual([200, 'text/plain', 'OK']);
    const reader = await aKey(service, account, ['urls:read']);
    const refusals = [
      await request(service.url).get('/api/v2/links').set('X-Forwarded-For', anAddress()),
      await request(service.url)
        .get('/api/v2/links')
        .set({ ...bearer(account.accessToken), Cookie: account.cookies }),
      await send('get', '/links', undefined, account.accessToken),
      await send('post', '/links', { target: 'https://a.test' }, reader),
      await request(service.url).get('/api/v1/urls').set('X-Api-Key', key),
    ];
    expect(refusals.map(({ status, body }) => [status, body.code])).toEqual([
      [401, 'authentication_error'],
      [401, 'authentication_error'],
      [401, 'authentication_error'],
      [403, 'forbidden'],
      [401, 'authentication_error'],
    ]);
    const other = await aKey(service, account, ['domains:read', 'stats:read']);
    for (const [method, path] of [
      ...[['get', '/links'] as const, ['post', '/links'] as const],
      ...[['patch', '/links/kutt-a'] as const, ['delete', '/links/kutt-a'] as const],
    ]) {
      const { status, body } = await send(method, path, {}, other);
      expect([method, path, status, body.code]).toEqual([method, path, 403, 'forbidden']);
    }
    expect((await send('get', '/links/kutt-a/stats', undefined, other)).status).toBe(200);
    const inBearer = await request(service.url).get('/api/v2/links').set(bearer(reader));
    expect(inBearer.status).toBe(200);
  });

  it('has the same limits as /api/v1', async () => {
    const first = await send('get', '/links');
    const second = await request(service.url).get('/api/v1/urls').set(bearer(key));
    const [before, after] = [first, second].map(({ headers }) => headers['x-ratelimit-remaining']);
    expect(Number(before) - Number(after)).toBe(1);
  });

  it('rejects other paths and methods in its format', async () => {
    for (const path of ['/users', '']) {
      const { status, body, headers } = await send('get', path);
      const origins = headers['access-control-allow-origin'];
      expect([path, status, body.code, origins]).toEqual([path, 404, 'not_found', '*']);
    }
    const wrong = await send('delete', '/links');
    expect([wrong.status, wrong.headers.allow]).toEqual([405, 'GET, HEAD, POST']);
  });
});

import request from 'supertest';
import { clicksCounted, databaseOf } from '../../support/database';
import { aKey, aVerifiedAccount, type TestAccount } from '../../support/factories/accounts';
import { anAddress, bearer, shorten, visit } from '../../support/http';
import { eventually, type Service, startService } from '../../support/service';

type Method = 'get' | 'post' | 'patch' | 'delete' | 'put';

const TYPES = 'https://shlink.io/api/error/';
const TIME = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\+00:00$/);
const NOTHING = { total: 0, nonBots: 0, bots: 0 };

describe('The API of Shlink', () => {
  let service: Service;
  let account: TestAccount;
  let key: string;

  beforeAll(async () => {
    service = await startService();
    account = await aVerifiedAccount(service);
    key = await aKey(service, account, ['shorten:create', 'urls:read', 'urls:manage']);
  });
  afterAll(() => service.stop());

  /** Sends requests like @shlinkio/shlink-js-sdk: with a content type even without a body. */
  const send = (method: Method, path: string, body?: object, apiKey = key) => {
    const call = request(service.url)
      [method](`/rest/v3${path}`)
      .set({ 'X-Api-Key': apiKey, 'Content-Type': 'application/json' });
    return body === undefined ? call : call.send(body);
  };
  const create = (body: object) => send('post', '/short-urls', body);
  const base = () => `http://localhost:${service.port}`;

  it('creates a short URL, and finds it again', async () => {
    const body = {
      ...{ longUrl: 'https://a.test/shlink', customSlug: 'sh l/k', tags: ['Shlink'] },
      ...{ title: 'A\ntitle', validSince: '2020-01-01T00:00:00+01:00', maxVisits: 7 },
      ...{ validUntil: '2099-01-01T00:00:00+01:00', shortCodeLength: 4, crawlable: true },
    };
    const expected = {
      ...{ shortUrl: `${base()}/sh-l-k`, shortCode: 'sh-l-k', longUrl: 'https://a.test/shlink' },
      ...{ dateCreated: TIME, visitsSummary: NOTHING, tags: ['Shlink'] },
      meta: { validSince: null, validUntil: '2098-12-31T23:00:00+00:00', maxVisits: 7 },
      ...{ domain: null, title: 'A title', crawlable: false, forwardQuery: true },
      hasRedirectRules: false,
    };
    const made = await create(body);
    expect([made.status, made.body]).toEqual([200, expected]);
    expect(made.headers).toMatchObject({
      ...{ 'access-control-allow-origin': '*', 'cache-control': 'no-store' },
    });
    const again = { longUrl: body.longUrl, customSlug: 'sh-l-k', findIfExists: true };
    for (const version of ['v1', 'v2', 'v3']) {
      const { status, body: found } = await request(service.url)
        .post(`/rest/${version}/short-urls`)
        .set('X-Api-Key', key)
        .send(again);
      expect([version, status, found]).toEqual([version, 200, expected]);
    }
    expect((await send('get', '/short-urls/sh-l-k?domain=LOCALHOST:1')).body).toEqual(expected);
  });

  it('accepts forms and chunked bodies', async () => {
    const form = await request(service.url)
      .post('/rest/v3/short-urls')
      .set('X-Api-Key', ` ${key} `)
      .type('form')
      .send('longUrl=https://a.test/form&tags[]=a&tags[]=b&maxVisits=5&forwardQuery=false');
    expect([form.status, form.body]).toMatchObject([
      ...[200, { tags: ['a', 'b'], meta: { maxVisits: 5 }, forwardQuery: false }],
    ]);
    const chunked = await fetch(`${service.url}/rest/v3/short-urls`, {
      method: 'POST',
      headers: { 'X-Api-Key': key, 'Content-Type': 'application/json' },
      body: new Blob(['{"longUrl":"https://a.test/chunked"}']).stream(),
      duplex: 'half',
    });
    expect(chunked.status).toBe(200);
  });

  it.each([
    [{}, ['longUrl']],
    [{ longUrl: {} }, ['longUrl']],
    [{ longUrl: 'a.test' }, ['longUrl']],
    [{ longUrl: 'https://a.test', customSlug: 'ab' }, ['customSlug']],
    [{ longUrl: 'https://a.test', customSlug: 'a.b' }, ['customSlug']],
    [{ longUrl: 'https://a.test', customSlug: 'Admin' }, ['customSlug']],
    [{ longUrl: 'https://a.test', customSlug: 'x'.repeat(17) }, ['customSlug']],
    [{ longUrl: 'https://a.test', validUntil: '2020-01-01' }, ['validUntil']],
    [{ longUrl: 'https://a.test', validSince: 'soon' }, ['validSince']],
    [{ longUrl: 'https://a.test', maxVisits: 0 }, ['maxVisits']],
    [{ longUrl: 'https://a.test', maxVisits: 'x', tags: 'x' }, ['maxVisits', 'tags']],
    [{ longUrl: 'https://a.test', pathPrefix: 'x' }, ['pathPrefix']],
    [{ longUrl: 'https://a.test', domain: 'foreign.test' }, ['domain']],
    [[], ['input']],
  ])('rejects %j, with an error about %j', async (body, invalidElements) => {
    const { status, body: problem, headers } = await create(body);
    expect([status, headers['content-type'], problem]).toEqual([
      ...[400, 'application/problem+json; charset=utf-8'],
      {
        ...{ type: `${TYPES}invalid-data`, title: 'Invalid data', detail: expect.any(String) },
        ...{ status: 400, invalidElements: expect.arrayContaining(invalidElements) },
      },
    ]);
    expect(headers['x-error-code']).toBe('validation_error');
  });

  it('rejects a taken slug, and accepts one of two concurrent requests', async () => {
    const race = { longUrl: 'https://a.test', customSlug: 'shlink-race' };
    const both = await Promise.all([create(race), create({ ...race, domain: '' })]);
    expect(both.map(({ status }) => status).sort()).toEqual([200, 400]);
    expect(both.find(({ status }) => status === 400)?.body).toMatchObject({
      ...{ type: `${TYPES}non-unique-slug`, customSlug: 'shlink-race' },
    });
    const broken = await send('post', '/short-urls').send('{"longUrl"');
    expect([broken.status, broken.body.type]).toEqual([400, `${TYPES}malformed-request-body`]);
  });

  it('changes and deletes a short URL', async () => {
    await create({
      longUrl: 'https://a.test/e',
      customSlug: 'shlink-edit',
      title: 'T',
      maxVisits: 1,
    });
    const path = '/short-urls/shlink-edit';
    const changes = { longUrl: 'https://b.test', tags: ['x'], title: null, maxVisits: null };
    const changed = await send('patch', path, changes);
    expect([changed.status, changed.body]).toMatchObject([
      200,
      { longUrl: 'https://b.test', tags: ['x'], title: null, meta: { maxVisits: null } },
    ]);
    const kept = await send('patch', path, { tags: null, longUrl: null });
    expect([kept.status, kept.body]).toEqual([200, changed.body]);
    const none = await send('patch', path, { maxVisits: 0 });
    expect([none.status, none.body.invalidElements, none.body.detail]).toEqual([
      ...[400, ['maxVisits'], 'maxVisits must be at least 1'],
    ]);
    const removed = await send('delete', path);
    expect([removed.status, removed.text]).toEqual([204, '']);
    for (const method of ['get', 'delete'] as const) {
      const { status, body } = await send(method, `${path}?domain=`);
      expect([status, body]).toEqual([
        404,
        {
          ...{ type: `${TYPES}short-url-not-found`, title: 'Short URL not found', status: 404 },
          ...{ detail: expect.any(String), shortCode: 'shlink-edit', domain: '' },
        },
      ]);
    }
  });

  it("does not find other accounts' links", async () => {
    const other = await aVerifiedAccount(service);
    await shorten(service, { long_url: 'https://a.test', alias: 'shlink-other' }).set(
      bearer(other.accessToken),
    );
    for (const code of ['shlink-other', 'SH-L-K', 'f'.repeat(24)]) {
      for (const method of ['get', 'delete', 'patch'] as const) {
        const { status, body } = await send(method, `/short-urls/${code}`);
        expect([method, code, status, body.type]).toEqual([
          ...[method, code, 404, `${TYPES}short-url-not-found`],
        ]);
      }
    }
  });

  it('lists, sorts and filters short URLs, tags and visits', async () => {
    const own = await aVerifiedAccount(service);
    const all = await aKey(service, own, ['admin:all']);
    for (const n of [1, 2, 3]) {
      const body = {
        longUrl: `https://a.test/${n}`,
        customSlug: `shlist-${n}`,
        tags: [`t${n % 2}`],
      };
      expect((await send('post', '/short-urls', body, all)).status).toBe(200);
    }
    await visit(service, 'shlist-2', { 'User-Agent': 'Googlebot/2.1' });
    await visit(service, 'shlist-2', { 'User-Agent': 'Mozilla/5.0 (X11; Linux) Firefox/140.0' });
    const database = await databaseOf(service);
    await clicksCounted(database, 'shlist-2', 2);
    await database.close();
    const list = async (query: string) => {
      const { status, body } = await send('get', `/short-urls${query}`, undefined, all);
      expect([query, status]).toEqual([query, 200]);
      const { data, pagination } = body.shortUrls as {
        data: { shortCode: string; visitsSummary: object }[];
        pagination: object;
      };
      return { codes: data.map(({ shortCode }) => shortCode), data, pagination };
    };
    const newest = ['shlist-3', 'shlist-2', 'shlist-1'];
    expect((await list('')).codes).toEqual(newest);
    const byVisits = () => list('?itemsPerPage=2&orderBy=visits-DESC');
    // Lists show new clicks later than statistics do.
    await eventually(async () => (await byVisits()).codes[0] === 'shlist-2');
    const first = await byVisits();
    const CLICKED = { total: 2, nonBots: 1, bots: 1 };
    expect(first.data[0]).toMatchObject({ shortCode: 'shlist-2', visitsSummary: CLICKED });
    expect(first.pagination).toEqual({
      ...{ currentPage: 1, pagesCount: 2, itemsPerPage: 2, itemsInCurrentPage: 2, totalItems: 3 },
    });
    expect((await list('?itemsPerPage=2&page=2')).codes).toEqual(['shlist-1']);
    expect((await list('?itemsPerPage=-1&domain=DEFAULT')).codes).toEqual(newest);
    expect((await list('?itemsPerPage=abc&page=-5')).codes).toEqual(newest);
    expect((await list('?tags[]=t1&searchTerm=shlist-1')).codes).toEqual(['shlist-1']);
    expect((await list('?excludeTags[]=t1&orderBy=shortCode-ASC')).codes).toEqual(['shlist-2']);
    expect((await list('?startDate=2099-01-01T00:00:00%2B00:00')).codes).toEqual([]);
    for (const [query, field] of [
      ['orderBy=longUrl-ASC', 'orderBy'],
      ['excludeMaxVisitsReached=true', 'excludeMaxVisitsReached'],
      [`searchTerm=${'x'.repeat(501)}`, 'searchTerm'],
    ]) {
      const { status, body } = await send('get', `/short-urls?${query}`, undefined, all);
      expect([status, body.invalidElements]).toEqual([400, [field]]);
    }
    const ask = async (path: string) => (await send('get', path, undefined, all)).body as object;
    expect(await ask('/tags')).toMatchObject({ tags: { data: ['t0', 't1'] } });
    expect(await ask('/tags/stats?orderBy=shortUrlsCount-DESC')).toMatchObject({
      tags: {
        data: [
          { tag: 't1', shortUrlsCount: 2, visitsSummary: NOTHING },
          { tag: 't0', shortUrlsCount: 1, visitsSummary: CLICKED },
        ],
        pagination: { pagesCount: 1, totalItems: 2 },
      },
    });
    expect(await ask('/visits')).toEqual({
      visits: { nonOrphanVisits: CLICKED, orphanVisits: NOTHING },
    });
    const redirects = {
      ...{ baseUrlRedirect: null, regular404Redirect: null, invalidShortUrlRedirect: null },
    };
    const ownHost = { domain: `localhost:${service.port}`, isDefault: true, redirects };
    // Other tests share domains with all accounts of this service.
    const data = expect.arrayContaining([ownHost]) as object[];
    expect(await ask('/domains')).toEqual({ domains: { data, defaultRedirects: redirects } });
  });

  it('creates a short URL with a key in the query, as text or JSON', async () => {
    const get = (query: Record<string, string>, accept = '*/*') =>
      request(service.url)
        .get('/rest/v3/short-urls/shorten')
        .query({ longUrl: 'https://a.test/query', ...query })
        .set({ Accept: accept, 'X-Forwarded-For': anAddress() });
    const json = await get({ apiKey: key });
    expect([json.status, json.body.longUrl]).toEqual([200, 'https://a.test/query']);
    for (const asked of [
      get({ apiKey: key, format: 'txt' }),
      get({ apiKey: key }, 'text/plain, */*'),
    ]) {
      const { status, type, text } = await asked;
      expect([status, type]).toEqual([200, 'text/plain']);
      expect(text).toMatch(/^http:\/\/localhost:\d+\/\w{7}$/);
    }
    const missing = await get({}).set('X-Api-Key', key);
    expect([missing.status, missing.body]).toMatchObject([
      ...[401, { type: `${TYPES}missing-authentication`, param: 'apiKey' }],
    ]);
    const head = await request(service.url).head('/rest/v3/short-urls/shorten');
    expect([head.status, head.headers.allow]).toEqual([405, 'GET']);
  });

  const RAYCAST = {
    ...{ title: '', tags: [], customTags: '', customSlug: '', shortCodeLength: null },
    ...{ crawlable: false, forwardQuery: true, useCustomTags: false },
  };
  it.each<[string, object]>([
    ['PrivateBin', {}],
    ['PowerToys', { tags: [], customSlug: null, title: null }],
    ['Raycast', RAYCAST],
  ])('serves %s', async (client, fields) => {
    // Raycast sends the name of the default domain.
    const { data } = (await send('get', '/domains')).body.domains as { data: object[] };
    expect(data[0]).toMatchObject({ isDefault: true, domain: `localhost:${service.port}` });
    const domain = client === 'Raycast' && { domain: `localhost:${service.port}` };
    const longUrl = `https://a.test/${client}`;
    const made = await create({ longUrl, ...fields, ...domain });
    expect([made.status, made.body]).toMatchObject([
      ...[200, { longUrl, title: null, tags: [], shortUrl: expect.stringMatching(/^http/) }],
    ]);
    const listed = await send('get', '/short-urls?page=1&itemsPerPage=20&searchTerm=');
    expect(listed.body.shortUrls.data[0]).toEqual(made.body);
    expect((await send('delete', `/short-urls/${made.body.shortCode}`)).status).toBe(204);
  });

  it('requires a key with the scope', async () => {
    const reader = await aKey(service, account, ['stats:read', 'domains:read']);
    const missing = await request(service.url)
      .get('/rest/v3/short-urls')
      .set({ ...bearer(account.accessToken), Cookie: account.cookies });
    expect([missing.status, missing.body]).toMatchObject([
      401,
      { type: `${TYPES}missing-authentication`, expectedHeaders: ['X-Api-Key'], status: 401 },
    ]);
    const unknown = await send('get', '/tags', undefined, 'not-a-key');
    expect([unknown.status, unknown.body.type]).toEqual([401, `${TYPES}invalid-api-key`]);
    expect(unknown.headers['x-error-code']).toBe('authentication_error');
    for (const [method, path] of [
      ...[['post', '/short-urls'] as const, ['get', '/short-urls'] as const],
      ...[['get', '/short-urls/a'] as const, ['patch', '/short-urls/a'] as const],
      ...[['delete', '/short-urls/a'] as const, ['get', '/tags'] as const],
      ...[['get', '/tags/stats'] as const, ['get', '/domains'] as const],
    ]) {
      const { status, body } = await send(method, path, undefined, reader);
      expect([method, path, status, body.type, body.title]).toEqual([
        ...[method, path, 403, 'about:blank', 'Forbidden'],
      ]);
    }
    expect((await send('get', '/visits', undefined, reader)).status).toBe(200);
  });

  it('has a health check, but no Mercure hub, and rejects other paths', async () => {
    for (const path of ['/rest/health', '/rest/v3/health', '/rest/v1/health/']) {
      const { status, headers, body } = await request(service.url).get(path);
      expect([path, status, headers['content-type']]).toEqual([
        ...[path, 200, 'application/health+json; charset=utf-8'],
      ]);
      expect(body).toMatchObject({ status: 'pass', version: '5.1.0' });
    }
    const mercure = await send('get', '/mercure-info');
    expect([mercure.status, mercure.body.type, mercure.headers['x-error-code']]).toEqual([
      ...[501, `${TYPES}mercure-not-configured`, 'not_configured'],
    ]);
    for (const path of ['', '/', '/short-urls/x/visits']) {
      const { status, body, headers } = await send('get', path);
      expect([path, status, body]).toMatchObject([
        ...[path, 404, { type: 'about:blank', title: 'Not Found' }],
      ]);
      expect(headers['access-control-allow-origin']).toBe('*');
    }
    const written = await request(service.url).post('/rest/health');
    expect([written.status, written.headers.allow, written.body]).toMatchObject([
      ...[405, 'GET, HEAD', { type: 'about:blank', status: 405, title: 'Method Not Allowed' }],
    ]);
    const wrong = await send('put', '/tags');
    expect([wrong.status, wrong.headers.allow, wrong.body.title]).toEqual([
      ...[405, 'GET, HEAD', 'Method Not Allowed'],
    ]);
  });

  it('leaves the alias `rest` available for links', async () => {
    await shorten(service, { long_url: 'https://a.test/rest', alias: 'rest' }).set(
      bearer(account.accessToken),
    );
    expect((await visit(service, 'rest')).headers.location).toBe('https://a.test/rest');
    expect((await visit(service, 'rest/qr.svg')).status).toBe(200);
  });
});

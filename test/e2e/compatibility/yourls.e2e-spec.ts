import request from 'supertest';
import { aKey, aVerifiedAccount, type TestAccount } from '../../support/factories/accounts';
import { anAddress, bearer, shorten } from '../../support/http';
import { type Service, startService } from '../../support/service';

const LOCKED_OUT = { message: 'Please log in', errorCode: '403' };
const NO_LINKS: Record<string, string>[] = [
  ...[{}, { limit: '-5' }, { limit: 'abc' }],
  { limit: '5', start: '9' },
];
const REFUSED_URLS: Record<string, string>[] = [
  ...[{ url: '' }, { url: 'mailto:a@b.test' }, { url: `https://a.test/${'x'.repeat(2048)}` }],
  { 'url[]': 'https://a.test' },
];
const READ_BY_PYTHON = /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/;
const REFUSED = { message: 'Invalid username or password', errorCode: '403' };

describe('The API of YOURLS', () => {
  let service: Service;
  let account: TestAccount;
  let key: string;
  let reader: string;
  /** Belongs to another account, whose requests have their own limits. */
  let replayKey: string;

  beforeAll(async () => {
    service = await startService();
    account = await aVerifiedAccount(service);
    key = await aKey(service, account, ['shorten:create']);
    reader = await aKey(service, account, ['urls:read']);
    const another = await aVerifiedAccount(service);
    replayKey = await aKey(service, another, ['shorten:create', 'urls:read']);
  });
  afterAll(() => service.stop());

  const base = () => `http://localhost:${service.port}`;
  const get = (fields: Record<string, string>) =>
    request(service.url).get('/yourls-api.php').query(fields);
  const send = (fields: Record<string, string>) =>
    request(service.url).post('/yourls-api.php').type('form').send(fields);
  const multipart = (fields: Record<string, string>) =>
    request(service.url).post('/yourls-api.php').field(fields);
  const signed = () => ({ signature: replayKey });
  const asJson = () => ({ ...signed(), format: 'json' });
  const text = (answer: request.Response) => answer.text;
  const json = (fields: Record<string, string>) => send({ format: 'json', ...fields });
  const create = (fields: Record<string, string>, signature = key) =>
    json({ action: 'shorturl', signature, ...fields });
  const read = (action: string, fields: Record<string, string> = {}) =>
    json({ action, signature: reader, ...fields });

  it('creates a link, and returns the same link for the same destination', async () => {
    const made = await create({
      url: 'example.com/yourls?a=<&>',
      keyword: 'yourls-a',
      title: 'Ä\n<b>',
    });
    const url = 'http://example.com/yourls?a=<&>';
    expect([made.status, made.headers['content-type'], made.body]).toEqual([
      200,
      'application/json; charset=utf-8',
      {
        url: { keyword: 'yourls-a', url, title: 'Ä <b>', date: expect.any(String), ip: '' },
        ...{ status: 'success', code: '', message: `${url} added to database`, title: 'Ä <b>' },
        ...{ errorCode: '', statusCode: '200', shorturl: `${base()}/yourls-a` },
      },
    ]);
    expect(made.body.url.date).toMatch(/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/);
    expect(made.headers['access-control-allow-origin']).toBe('*');
    expect(made.headers['cache-control']).toBe('no-store');
    for (const again of [{ url }, { url, keyword: 'yourls-a' }] as Record<string, string>[]) {
      const { status, body } = await create(again);
      expect([status, body.status, body.url.keyword, body.url.clicks]).toEqual([
        ...[200, 'success', 'yourls-a', 0],
      ]);
    }
  });

  it('returns XML by default, text for `simple`, and rejects JSONP', async () => {
    const fields = { action: 'shorturl', signature: key, url: 'https://example.com/<&"🌷' };
    const xml = await get(fields);
    expect(xml.headers['content-type']).toBe('application/xml; charset=utf-8');
    expect(xml.text).toContain('<url>https://example.com/&lt;&amp;"🌷</url>');
    expect(xml.text).toMatch(/^<\?xml version="1.0" encoding="UTF-8"\?>\n<root>.*<\/root>$/);
    const simple = await get({ ...fields, format: 'simple' });
    expect([simple.status, simple.type, simple.text]).toEqual([
      ...[200, 'text/plain', /<shorturl>(.*)<\/shorturl>/.exec(xml.text)?.[1]],
    ]);
    const failed = await get({ ...fields, format: 'simple', url: 'x y' });
    expect([failed.status, failed.text]).toEqual([400, '']);
    const jsonp = await get({ ...fields, format: 'jsonp', callback: 'f' });
    expect([jsonp.status, jsonp.body.message]).toEqual([400, expect.stringContaining('json')]);
  });

  it.each(REFUSED_URLS)('rejects the address %j', async (fields) => {
    const answer = await create(fields);
    expect([answer.status, answer.body]).toEqual([
      400,
      {
        ...{ status: 'fail', code: 'error:nourl', message: 'Missing or malformed URL' },
        ...{ errorCode: '400', statusCode: '400' },
      },
    ]);
    expect(answer.headers['x-error-code']).toBe('validation_error');
  });

  it.each(['ab', 'a.b', 'ADMIN', 'Yourls-Api.php', 'x'.repeat(17)])(
    'rejects the keyword %s',
    async (keyword) => {
      const answer = await create({ url: 'https://a.test', keyword });
      const message = `Short URL ${keyword} already exists in database or is reserved`;
      expect([answer.status, answer.body]).toEqual([
        400,
        {
          ...{ status: 'fail', code: 'error:keyword', message },
          ...{ errorCode: '400', statusCode: '400' },
        },
      ]);
    },
  );

  it('rejects loops and taken aliases, and accepts one of two concurrent requests', async () => {
    const loop = await create({ url: `${base()}/a` });
    expect([loop.status, loop.body.code, loop.body.message]).toEqual([
      ...[400, 'error:noloop', 'URL is a short URL'],
    ]);
    const both = await Promise.all(
      [1, 2].map((n) => create({ url: `https://a.test/race${n}`, keyword: 'yourls-race' })),
    );
    expect(both.map(({ body }) => body.code as string).sort()).toEqual(['', 'error:keyword']);
    const lost = both.find(({ body }) => body.code !== '');
    expect(lost?.headers['x-error-code']).toBe('conflict');
  });

  it("expands only the caller's links, by alias or by short URL with any port", async () => {
    await create({ url: 'https://a.test/expand', keyword: 'yourls-exp' });
    for (const shorturl of ['yourls-exp', 'http://LOCALHOST:9/yourls-exp?x#y']) {
      const { status, body } = await read('expand', { shorturl });
      expect([status, body]).toEqual([
        200,
        {
          ...{ keyword: 'yourls-exp', shorturl: `${base()}/yourls-exp` },
          ...{ longurl: 'https://a.test/expand', title: 'https://a.test/expand' },
          ...{ message: 'success', statusCode: '200' },
        },
      ]);
    }
    const other = await aVerifiedAccount(service);
    await shorten(service, { long_url: 'https://a.test', alias: 'yourls-other' }).set(
      bearer(other.accessToken),
    );
    for (const shorturl of ['yourls-other', 'YOURLS-exp', 'http://foreign.test/yourls-exp', '']) {
      const { status, body } = await read('expand', { shorturl });
      const message = 'Error: short URL not found';
      expect([status, body]).toEqual([
        ...[404, { keyword: expect.any(String), message, errorCode: '404' }],
      ]);
      const statistics = await read('url-stats', { shorturl });
      expect([statistics.status, statistics.body]).toEqual([404, { statusCode: '404', message }]);
    }
    const simple = await read('expand', { shorturl: 'yourls-none', format: 'simple' });
    expect([simple.status, simple.text]).toEqual([404, 'not found']);
  });

  it('counts links and clicks', async () => {
    const own = await aVerifiedAccount(service);
    const all = await aKey(service, own, ['admin:all']);
    for (const n of [1, 2, 3]) {
      await create({ url: `https://a.test/stats${n}`, title: `Number ${n}` }, all);
    }
    const ask = (action: string, fields: Record<string, string> = {}) =>
      json({ action, signature: all, ...fields });
    const success = { statusCode: '200', message: 'success' };
    const totals = { total_links: 3, total_clicks: 0 };
    expect((await ask('db-stats')).body).toEqual({ 'db-stats': totals, ...success });
    const page = await ask('stats', { filter: 'last', limit: '2', start: '1' });
    expect(page.body).toEqual({
      links: {
        link_1: {
          ...{ shorturl: expect.any(String), url: 'https://a.test/stats2', title: 'Number 2' },
          ...{ timestamp: expect.any(String), ip: '', clicks: 0 },
        },
        link_2: expect.objectContaining({ title: 'Number 1' }),
      },
      stats: totals,
      ...success,
    });
    for (const fields of NO_LINKS) {
      expect((await ask('stats', fields)).body).toEqual({ stats: totals, ...success });
    }
    const most = await ask('stats', { limit: '100000' });
    expect(Object.keys(most.body.links as object)).toHaveLength(3);
    const { shorturl } = page.body.links.link_1 as { shorturl: string };
    expect((await ask('url-stats', { shorturl })).body).toEqual({
      ...success,
      link: page.body.links.link_1,
    });
    expect((await ask('version')).body).toEqual({ version: '1.10.4' });
    expect((await ask('stats', { format: 'simple' })).text).toBe(
      'Need either XML or JSON format for stats',
    );
  });

  it('accepts a key in the query, in the form, as a password, and in Authorization', async () => {
    const accepted = [
      get({ format: 'json', action: 'version', signature: ` ${key} ` }),
      json({ action: 'version', username: 'me', password: key }),
      json({ action: 'version' }).set(bearer(key)),
      json({ action: 'version', signature: key }).set(bearer(account.accessToken)),
      request(service.url)
        .post('/yourls-api.php?signature=wrong')
        .field({ format: 'json', action: 'version', signature: key }),
    ];
    for (const asked of accepted) {
      const { status, body } = await asked;
      expect([status, body]).toEqual([200, { version: '1.10.4' }]);
    }
  });

  it('rejects other credentials with the message that clients expect', async () => {
    const hint = expect.stringMatching(/^Invalid username or password .*signature/);
    const cases: [request.Test, object][] = [
      [json({ action: 'version' }), LOCKED_OUT],
      [json({ action: 'version' }).set(bearer(account.accessToken)), LOCKED_OUT],
      [json({ action: 'version' }).set('Cookie', account.cookies), LOCKED_OUT],
      [json({ action: 'version', signature: account.accessToken }), REFUSED],
      [json({ action: 'version', signature: `svc_${'x'.repeat(43)}` }), REFUSED],
      [
        json({ action: 'version', signature: 'abc', timestamp: '1' }),
        { ...REFUSED, message: hint },
      ],
      [json({ action: 'version', username: 'a', password: 'b' }), { ...REFUSED, message: hint }],
      [
        json({ action: 'version', signature: 'abc', timestamp: '1' }).set(bearer(key)),
        { ...REFUSED, message: hint },
      ],
      [
        request(service.url)
          .post(`/yourls-api.php?signature=${key}`)
          .type('form')
          .send({ format: 'json', action: 'version', signature: 'wrong' }),
        REFUSED,
      ],
      [
        create({ url: 'https://a.test' }, reader),
        { errorCode: '403', message: expect.any(String) },
      ],
      [
        json({ action: 'stats', signature: key }),
        { errorCode: '403', message: expect.any(String) },
      ],
    ];
    for (const [asked, expected] of cases) {
      const { status, body } = await asked.set('X-Forwarded-For', anAddress());
      expect([status, body]).toEqual([403, expected]);
    }
    const text = await get({ action: 'version', format: 'simple' });
    expect([text.status, text.text]).toEqual([403, 'Please log in']);
  });

  it('rejects unreadable input and other methods', async () => {
    const unknown = await json({ signature: key, action: 'delete' });
    expect([unknown.status, unknown.body]).toEqual([
      400,
      { errorCode: '400', message: 'Unknown or missing "action" parameter' },
    ]);
    const large = await json({ signature: key, title: 'x'.repeat(20_000) });
    expect([large.status, large.type]).toEqual([413, 'application/xml']);
    const broken = await request(service.url).get(
      `/yourls-api.php?format=json&action=version&signature=${key}&title=%ff`,
    );
    expect([broken.status, broken.body.errorCode]).toEqual([400, '400']);
    const form = await send({}).send('title=%ff');
    expect([form.status, form.text]).toEqual([400, expect.stringContaining('<errorCode>400')]);
    const ignored = await request(service.url)
      .post(`/yourls-api.php?format=json&action=version&signature=${key}`)
      .send({ signature: 'wrong' });
    expect(ignored.body).toEqual({ version: '1.10.4' });
    for (const method of ['head', 'put', 'delete'] as const) {
      const { status, headers } = await request(service.url)[method]('/yourls-api.php');
      expect([status, headers.allow]).toEqual([405, 'GET, POST']);
    }
  });

  it.each<[string, (url: string) => request.Test, (answer: request.Response) => unknown]>([
    [
      'n8n',
      (url) => get({ url, action: 'shorturl', ...asJson() }).send({}),
      ({ body }) => body.status !== 'fail' && (body.shorturl as unknown),
    ],
    [
      'ShareX',
      (url) => multipart({ ...signed(), action: 'shorturl', url, format: 'simple' }),
      text,
    ],
    ['curl', (url) => send({ ...signed(), action: 'shorturl', format: 'simple', url }), text],
    [
      'PrivateBin',
      (url) => send({ ...asJson(), action: 'shorturl', url }),
      ({ body }) => Number(body.statusCode) === 200 && (body.shorturl as unknown),
    ],
    [
      'PBinCLI',
      (url) => send({ action: 'shorturl', format: 'json', url, ...signed() }),
      ({ body }) => 'statusCode' in body && 'message' in body && (body.shorturl as unknown),
    ],
    [
      'Raycast',
      (url) => get({ ...asJson(), action: 'shorturl', url, title: '', keyword: '' }),
      ({ body }) => body.shorturl as unknown,
    ],
    [
      'Python',
      (url) => get({ action: 'shorturl', url, ...asJson() }),
      ({ body }) => READ_BY_PYTHON.test(body.url.date as string) && (body.shorturl as unknown),
    ],
  ])('serves %s', async (client, ask, read) => {
    const url = `https://a.test/${client}?a=1#b`;
    const answer = await ask(url);
    const shorturl = read(answer);
    expect([answer.status, shorturl]).toEqual([200, expect.stringMatching(/^http:\/\/localhost/)]);
    const fields = { shorturl: shorturl as string, ...asJson() };
    // n8n and Python read the link again.
    const expanded = await get({ ...fields, action: 'expand' }).send({});
    expect(expanded.body.longurl).toBe(url);
    const { link } = (await get({ ...fields, action: 'url-stats' }).send({})).body;
    expect(link).toMatchObject({ url, title: url, ip: '', clicks: 0 });
    expect(link.timestamp).toMatch(READ_BY_PYTHON);
  });

  it('returns lists in the format that Raycast and the Python package expect', async () => {
    await create({ url: 'https://a.test/listed' }, replayKey);
    const fields = { action: 'stats', ...asJson() };
    const raycast = await get({ ...fields, limit: '9999' });
    for (const link of Object.values(raycast.body.links as object)) {
      expect(link).toMatchObject({ shorturl: expect.any(String), clicks: expect.any(Number) });
    }
    const { body } = await get({ ...fields, filter: 'last', limit: '1' });
    expect([body.links.link_1.url, typeof body.stats.total_links]).toEqual([
      ...['https://a.test/listed', 'number'],
    ]);
  });

  it('counts requests together with POST /api/v1/shorten, even GET requests', async () => {
    const own = await aVerifiedAccount(service);
    const created = await aKey(service, own, ['shorten:create']);
    const first = await shorten(service, { long_url: 'https://a.test' }).set(bearer(created));
    const second = await get({ action: 'version', signature: created });
    const third = await json({ action: 'version', signature: created });
    const remaining = [first, second, third].map(({ headers }) =>
      Number(headers['x-ratelimit-remaining']),
    );
    expect(remaining).toEqual([59, 58, 57]);
  });
});

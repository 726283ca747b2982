import request from 'supertest';
import { aLink } from '../../support/factories/links';
import { anAddress, shorten, visit } from '../../support/http';
import { startService, type Service } from '../../support/service';

const inAnHour = (): number => Math.floor(Date.now() / 1000) + 3600;

describe('POST /api/v1/shorten', () => {
  let service: Service;

  beforeAll(async () => {
    service = await startService();
  });
  afterAll(() => service.stop());

  it('returns 201 with the link in docs/contract.md#5.4', async () => {
    const before = Math.floor(Date.now() / 1000);
    const { status, body } = await shorten(service, { long_url: 'https://example.com/A?b=c#d' });
    expect(status).toBe(201);
    expect(body).toEqual({
      count_bots: true,
      domain: null,
      starts_at: null,
      pre_start_url: null,
      expired_redirect_url: null,
      forward_query: false,
      rules: null,
      geo_rules: null,
      ab_variants: null,
      id: expect.stringMatching(/^[0-9a-f]{24}$/),
      alias: expect.stringMatching(/^[A-Za-z0-9]{7}$/),
      short_url: `http://localhost:${service.port}/${body.alias}`,
      long_url: 'https://example.com/A?b=c#d',
      owner_id: null,
      created_at: expect.any(Number),
      status: 'ACTIVE',
      private_stats: false,
      title: null,
      note: null,
      tags: [],
      claim_token: expect.stringMatching(/^[\w-]{43}$/),
    });
    expect(body.created_at).toBeGreaterThanOrEqual(before);
  });

  it('accepts `url` as another name for `long_url`, which takes precedence', async () => {
    expect((await aLink(service, { long_url: undefined, url: 'https://a.test' })).long_url).toBe(
      'https://a.test',
    );
    expect(
      (await aLink(service, { long_url: 'https://b.test', url: 'https://a.test' })).long_url,
    ).toBe('https://b.test');
  });

  it('cuts a long alias to 16 characters and compares the cut value with other aliases', async () => {
    const { body } = await shorten(service, {
      long_url: 'https://a.test',
      alias: 'abcdefghijklmnopqrstuvwxyz',
    });
    expect(body.alias).toBe('abcdefghijklmnop');
    expect(body.hint).toBe('alias_cut');
    expect(await aLink(service, { alias: 'sixteen-char-ali' })).not.toHaveProperty('hint');
    const again = await shorten(service, {
      long_url: 'https://a.test',
      alias: 'abcdefghijklmnop-other',
    });
    expect(again.status).toBe(409);
    expect(again.body).toMatchObject({ code: 'conflict', field: 'alias' });
    expect(again.headers['x-error-code']).toBe('conflict');
  });

  it('distinguishes aliases that differ in case', async () => {
    const links = [
      await aLink(service, { alias: 'CaseOne' }),
      await aLink(service, { alias: 'caseone' }),
    ];
    expect(links.map(({ alias }) => alias)).toEqual(['CaseOne', 'caseone']);
    expect(new Set(links.map(({ id }) => id)).size).toBe(2);
  });

  it('creates an alias for exactly one of many concurrent callers', async () => {
    const answers = await Promise.all(
      Array.from({ length: 20 }, () =>
        shorten(service, { long_url: 'https://a.test', alias: 'only-one' }),
      ),
    );
    expect(answers.map((a) => a.status).sort()).toEqual([201, ...Array<number>(19).fill(409)]);
  });

  it('treats null in an optional field as absent', async () => {
    const link = await aLink(service, {
      alias: null,
      password: null,
      max_clicks: null,
      expire_after: null,
      block_bots: null,
      private_stats: null,
    });
    expect(link.alias).toMatch(/^[A-Za-z0-9]{7}$/);
    expect(link).toMatchObject({ status: 'ACTIVE', private_stats: false });
    expect((await visit(service, link.alias)).status).toBe(302);
  });

  it('ignores unknown fields', async () => {
    const unlisted = { owner_id: 'me', id: 'mine', $set: { a: 1 }, ['__proto__']: { x: 1 } };
    const link = await aLink(service, unlisted);
    expect(link).toMatchObject({ owner_id: null, id: expect.stringMatching(/^[0-9a-f]{24}$/) });
    expect(link).not.toHaveProperty('x');
  });

  it.each([
    ['Unix seconds', () => inAnHour()],
    ['digits', () => String(inAnHour())],
    ['ISO with Z', () => new Date(inAnHour() * 1000).toISOString()],
    ['ISO with an offset', () => '2099-01-01T00:00:00+02:00'],
    ['naive ISO', () => '2099-01-01T00:00:00'],
    ['a date', () => '2099-01-01'],
  ])('reads expire_after as %s', async (_, value) => {
    const link = await aLink(service, { expire_after: value() });
    expect((await visit(service, link.alias)).status).toBe(302);
  });

  it.each([
    ['no body', undefined, 'input'],
    ['an array', '[]', 'input'],
    ['a string', '"x"', 'input'],
    ['null', 'null', 'input'],
    ['broken JSON', '{"long_url":', 'input'],
    ['no long_url', {}, 'long_url'],
    ['long_url null', { long_url: null }, 'long_url'],
    ['an empty long_url', { long_url: '' }, 'long_url'],
    ['a number as long_url', { long_url: 5 }, 'long_url'],
    ['an object as long_url', { long_url: { $ne: '' } }, 'long_url'],
    [
      'a long_url of 2049 characters',
      { long_url: `https://a.test/${'x'.repeat(2034)}` },
      'long_url',
    ],
    ['a short alias', { long_url: 'https://a.test', alias: 'ab' }, 'alias'],
    ['an empty alias', { long_url: 'https://a.test', alias: '' }, 'alias'],
    ['an alias with other characters', { long_url: 'https://a.test', alias: 'a b c' }, 'alias'],
    ['a number as alias', { long_url: 'https://a.test', alias: 12345 }, 'alias'],
    ['a short password', { long_url: 'https://a.test', password: 'a1@' }, 'password'],
    ['an empty password', { long_url: 'https://a.test', password: '' }, 'password'],
    [
      'a password of 129 characters',
      { long_url: 'https://a.test', password: 'a1@' + 'x'.repeat(126) },
      'password',
    ],
    ['max_clicks 0', { long_url: 'https://a.test', max_clicks: 0 }, 'max_clicks'],
    ['max_clicks as text', { long_url: 'https://a.test', max_clicks: '5' }, 'max_clicks'],
    ['max_clicks with a fraction', { long_url: 'https://a.test', max_clicks: 1.5 }, 'max_clicks'],
    [
      'expire_after as a boolean',
      { long_url: 'https://a.test', expire_after: true },
      'expire_after',
    ],
    ['an empty expire_after', { long_url: 'https://a.test', expire_after: '' }, 'expire_after'],
    ['block_bots as text', { long_url: 'https://a.test', block_bots: 'true' }, 'block_bots'],
    [
      'private_stats as a number',
      { long_url: 'https://a.test', private_stats: 1 },
      'private_stats',
    ],
  ])('returns 422 for %s', async (_, body, field) => {
    const sent =
      body === undefined
        ? request(service.url).post('/api/v1/shorten').set('X-Forwarded-For', anAddress())
        : shorten(service, body);
    const answer = await sent;
    expect(answer.status).toBe(422);
    expect(answer.body).toEqual({
      error: expect.stringMatching(`^${field}: `),
      code: 'validation_error',
      field,
    });
    expect(answer.headers['x-error-code']).toBe('validation_error');
  });

  it('reports that a missing field is required', async () => {
    for (const body of [{}, { long_url: null }]) {
      expect((await shorten(service, body)).body.error).toBe('long_url: is required');
    }
  });

  it.each([
    ['longUrl', 'long_url'],
    ['expires_at', 'expire_after'],
    ['slug', 'alias'],
    ['maxclicks', 'max_clicks'],
  ])('returns 422 with a hint for %s, which resembles a field', async (name, meant) => {
    const answer = await shorten(service, { url: 'https://a.test', [name]: 'x' });
    expect(answer.status).toBe(422);
    expect(answer.body).toMatchObject({
      code: 'validation_error',
      field: name,
      hint: `Use ${meant} instead of ${name}`,
    });
  });

  it('ignores unknown fields, and misspelt names with null values', async () => {
    const body = { long_url: 'https://a.test', folder: ['a'], remark: 'b', expires_at: null };
    expect((await shorten(service, body)).status).toBe(201);
  });

  it('recognises milliseconds and says that the unit is seconds', async () => {
    const body = { long_url: 'https://a.test', expire_after: Date.now() + 3_600_000 };
    const answer = await shorten(service, body);
    expect([answer.status, answer.body.field]).toEqual([400, 'expire_after']);
    expect(answer.body.error).toContain('means seconds since 1970, not milliseconds');
  });

  it('has a message for each reason to reject a destination', async () => {
    const texts = [];
    const own = `http://localhost:${service.port}/x`;
    for (const long_url of ['example.com', 'ftp://a.test', 'https://a test/', own]) {
      texts.push((await shorten(service, { long_url })).body.error as string);
    }
    expect(texts).toEqual([
      expect.stringContaining('must begin with http'),
      expect.stringContaining('a scheme other than'),
      expect.stringContaining('is not a valid URL'),
      expect.stringContaining('leads to this service'),
    ]);
  });

  it('lists all problems of a body', async () => {
    const { status, body } = await shorten(service, { alias: '?', max_clicks: -1 });
    expect(status).toBe(422);
    expect(body.error).toMatch(/^Validation failed for: /);
    expect(body.field).toBeUndefined();
    const details = body.details as { field: string }[];
    expect(details.map((d) => d.field).sort()).toEqual(['alias', 'long_url', 'max_clicks']);
  });

  it.each([
    ['another scheme', { long_url: 'ftp://a.test' }, 'long_url'],
    ['no host', { long_url: 'https://' }, 'long_url'],
    ['white space', { long_url: 'https://a.test/a b' }, 'long_url'],
    ['this service itself', { long_url: '<base>/x' }, 'long_url'],
    ['a blocked destination', { long_url: 'https://BLOCKED.example/' }, 'long_url'],
    [
      'a password without a digit',
      { long_url: 'https://a.test', password: 'abcdefgh@' },
      'password',
    ],
    [
      'a password with adjacent specials',
      { long_url: 'https://a.test', password: 'abcdefg1@.' },
      'password',
    ],
    ['an unreadable expiry', { long_url: 'https://a.test', expire_after: 'soon' }, 'expire_after'],
    ['an expiry in the past', { long_url: 'https://a.test', expire_after: 1000 }, 'expire_after'],
    ['a reserved alias', { long_url: 'https://a.test', alias: 'Health' }, 'alias'],
  ])('returns 400 for %s', async (_, body, field) => {
    const long_url = body.long_url.replace('<base>', `http://localhost:${service.port}`);
    const answer = await shorten(service, { ...body, long_url });
    expect(answer.status).toBe(400);
    expect(answer.body).toMatchObject({ code: 'validation_error', field });
  });

  it('checks the URL, password, expiry and alias in this order', async () => {
    const all = { long_url: 'ftp://x', password: 'abcdefgh', expire_after: 1, alias: 'api' };
    const field = async (body: object): Promise<string> =>
      (await shorten(service, body)).body.field as string;
    expect(await field(all)).toBe('long_url');
    expect(await field({ ...all, long_url: 'https://a.test' })).toBe('password');
    expect(await field({ ...all, long_url: 'https://a.test', password: 'abcdefg1@' })).toBe(
      'expire_after',
    );
    expect(
      await field({
        ...all,
        long_url: 'https://a.test',
        password: 'abcdefg1@',
        expire_after: inAnHour(),
      }),
    ).toBe('alias');
  });

  it('returns 401 for private_stats without an account', async () => {
    const answer = await shorten(service, { long_url: 'https://a.test', private_stats: true });
    expect(answer.status).toBe(401);
    expect(answer.body).toMatchObject({ code: 'authentication_error', field: 'private_stats' });
  });

  it.each(['Bearer svc_nonsense', 'Bearer a.b.c'])(
    'returns 401 for the invalid credential %s',
    async (authorization) => {
      const answer = await shorten(service, { long_url: 'https://a.test' }).set(
        'Authorization',
        authorization,
      );
      expect(answer.status).toBe(401);
    },
  );

  it('never stores or returns a password in plain text', async () => {
    const { body } = await shorten(service, { long_url: 'https://a.test', password: 'geheim1@x' });
    expect(JSON.stringify(body)).not.toContain('geheim');
    expect(service.log()).not.toContain('geheim1@x');
  });
});

describe('GET /api/v1/shorten/check-alias', () => {
  let service: Service;
  beforeAll(async () => {
    service = await startService();
    await aLink(service, { alias: 'taken-one' });
  });
  afterAll(() => service.stop());

  const check = (query: string): request.Test =>
    request(service.url)
      .get(`/api/v1/shorten/check-alias${query}`)
      .set('X-Forwarded-For', anAddress());

  it.each([
    ['ab', 'length'],
    ['abcdefghijklmnopq', 'length'],
    ['a%20b%20c', 'format'],
    ['API', 'reserved'],
    ['taken-one', 'taken'],
    ['free-one', null],
  ])('returns for %s the reason %p', async (alias, reason) => {
    const answer = await check(`?alias=${alias}`);
    expect(answer.status).toBe(200);
    expect(answer.body).toEqual({ available: reason === null, reason });
  });

  it.each(['', '?alias=', `?alias=${'a'.repeat(65)}`, '?alias=a&alias=b'])(
    'returns 422 for %p',
    async (query) => {
      expect((await check(query)).status).toBe(422);
    },
  );
});

import request from 'supertest';
import { aKey, aVerifiedAccount, type TestAccount } from '../../support/factories/accounts';
import { aLink } from '../../support/factories/links';
import { databaseOf, totalClicks } from '../../support/database';
import { anAddress, bearer, cookiesOf, post, shorten, visit } from '../../support/http';
import { eventually, startService, type Service } from '../../support/service';
import {
  CREATED,
  DESTINATION,
  EMOJI,
  EMOJI_SET,
  ITEM,
  PAGE,
  PREVIEW,
  ROW,
  SPOO_CLIENTS,
  SUMMARY,
  unreadable,
  UPDATED,
} from '../../support/spoo-clients';

const UNKNOWN = 'f'.repeat(24);

describe('Existing clients', () => {
  let service: Service;
  let account: TestAccount;

  beforeAll(async () => {
    service = await startService();
    account = await aVerifiedAccount(service);
  });
  afterAll(() => service.stop());

  const get = (path: string, headers: Record<string, string> = {}) =>
    request(service.url)
      .get(path)
      .set({ 'X-Forwarded-For': anAddress(), ...headers });
  const own = (input: object = {}) =>
    shorten(service, { long_url: 'https://example.com/own', ...input }).set(
      bearer(account.accessToken),
    );

  describe('GET /api/v1/urls/{domain}/{alias}', () => {
    const read = (domain: string, code: string, token = account.accessToken) =>
      get(`/api/v1/urls/${domain}/${encodeURIComponent(code)}`, bearer(token));

    it('finds a link by its short URL, with the host in any case, with or without its port', async () => {
      const { body: link } = await own({ alias: 'By-Address' });
      const item = await get(`/api/v1/urls/${link.id}`, bearer(account.accessToken));
      for (const host of ['localhost', 'LOCALHOST', `localhost:${service.port}`]) {
        const { status, body } = await read(host, 'By-Address');
        expect([host, status, body]).toEqual([host, 200, item.body]);
      }
      const key = await aKey(service, account, ['urls:read']);
      expect((await read('localhost', 'By-Address', key)).status).toBe(200);
    });

    it('finds emoji links and closed links', async () => {
      const { body } = await own({ alias: '🌷🌷' });
      await request(service.url)
        .patch(`/api/v1/urls/${body.id}/status`)
        .set(bearer(account.accessToken))
        .send({ status: 'INACTIVE' });
      expect((await read('localhost', '🌷🌷')).body).toMatchObject({
        alias: '🌷🌷',
        status: 'INACTIVE',
      });
    });

    it('returns the same 404 for all links that the caller does not own', async () => {
      await aLink(service, { alias: 'nobodys' });
      const other = await aVerifiedAccount(service);
      await shorten(service, { long_url: 'https://a.test', alias: 'anothers' }).set(
        bearer(other.accessToken),
      );
      await own({ alias: 'Cased' });
      const answers = [
        await read('localhost', 'nobodys'),
        await read('localhost', 'anothers'),
        await read('localhost', 'unknown'),
        await read('localhost', 'cased'),
        await read('localhost', 'a b'),
        await read('other.example', 'Cased'),
        await read(`localhost:${service.port + 1}`, 'Cased'),
        await read('f'.repeat(24), 'Cased'),
      ];
      const bodies = answers.map(({ status, body }) => [status, body]);
      expect(new Set(bodies.map((each) => JSON.stringify(each))).size).toBe(1);
      expect(bodies[0]).toMatchObject([404, { code: 'not_found' }]);
    });

    it('does not affect the routes with an id', async () => {
      const { body } = await own();
      const { status } = await get(`/api/v1/urls/${body.id}/qr`, bearer(account.accessToken));
      expect(status).toBe(200);
    });
  });

  describe('GET /api/v1/public/preview/{code}', () => {
    const preview = (code: string) => get(`/api/v1/public/preview/${encodeURIComponent(code)}`);
    const PAST = { expire_after: new Date(Date.now() - 1000) };

    it('returns the destination of an open link to all callers, and counts no click', async () => {
      const link = (await own({ long_url: 'https://Shop.Example:8443/a?b=c#d' })).body;
      const item = await get(`/api/v1/urls/${link.id}`, bearer(account.accessToken));
      const { status, body } = await preview(link.alias);
      expect([status, body]).toEqual([
        200,
        {
          generation: 'v2',
          alias: link.alias,
          short_url: link.short_url,
          status: 'active',
          created_at: item.body.created_at,
          password_protected: false,
          destination: {
            url: 'https://Shop.Example:8443/a?b=c#d',
            domain: 'shop.example',
            path: '/a?b=c',
            is_https: true,
          },
          geo_destinations: null,
        },
      ]);
      const database = await databaseOf(service);
      expect(await totalClicks(database, link.id)).toBe(0);
      await database.close();
    });

    it('hides the destination of all other links', async () => {
      const locked = await aLink(service, { password: 'Geheim1@x' });
      const expired = await aLink(service);
      const paused = (await own()).body;
      const usedUp = await aLink(service, { max_clicks: 1 });
      await visit(service, usedUp.alias);
      const database = await databaseOf(service);
      const links = database.collection('links');
      await links.updateOne({ alias: expired.alias }, { $set: PAST });
      await database.close();
      await request(service.url)
        .patch(`/api/v1/urls/${paused.id}/status`)
        .set(bearer(account.accessToken))
        .send({ status: 'INACTIVE' });
      for (const [{ alias }, status, password_protected] of [
        [locked, 'active', true],
        [expired, 'expired', false],
        [paused, 'inactive', false],
        [usedUp, 'expired', false],
      ] as const) {
        expect((await preview(alias)).body).toMatchObject({
          ...{ alias, status, password_protected, destination: null },
        });
      }
      expect((await preview('unknown-one')).status).toBe(404);
    });
  });

  describe('GET /api/v1/emoji-set', () => {
    it('returns every accepted emoji, and can be cached for a day', async () => {
      const { status, body, headers } = await get('/api/v1/emoji-set');
      expect(status).toBe(200);
      expect(headers['cache-control']).toBe('public, max-age=86400, stale-while-revalidate=604800');
      expect(body).toMatchObject({ max_graphemes: 15, generate_max_version: expect.any(Number) });
      expect(body.accept_max_version).toBeGreaterThanOrEqual(15);
      const set = body.emoji as { c: string; n: string; g: string; gen: boolean }[];
      expect(set.length).toBeGreaterThan(1000);
      expect(set).toContainEqual({ c: '🌷', n: 'tulip', g: 'Animals & Nature', gen: true });
      expect(set.some(({ c }) => c.includes('\ufe0f') || /\p{Emoji_Modifier}/u.test(c))).toBe(
        false,
      );
      expect(set.filter(({ gen }) => gen).length).toBeGreaterThanOrEqual(200);
      const etag = headers.etag ?? '';
      expect((await get('/api/v1/emoji-set', { 'If-None-Match': etag })).status).toBe(304);
    });
  });

  describe('An emoji alias in v1', () => {
    it.each([
      ['🚀', '🚀'],
      ['❤\ufe0f🌈', '❤🌈'],
      ['🍀'.repeat(15), '🍀'.repeat(15)],
      ['👍🏽👍🏽', '👍🏽👍🏽'],
    ])('%s is accepted, redirects, and is then taken', async (asked, alias) => {
      const { status, body } = await own({ alias: asked });
      expect([status, body.alias, body.hint]).toEqual([201, alias, undefined]);
      expect(body.short_url).toBe(`http://localhost:${service.port}/${alias}`);
      expect((await visit(service, encodeURIComponent(asked))).status).toBe(302);
      expect((await own({ alias: asked })).status).toBe(409);
      const check = await get(`/api/v1/shorten/check-alias?alias=${encodeURIComponent(asked)}`);
      expect(check.body).toEqual({ available: false, reason: 'taken' });
    });

    it.each([
      ['joined ones', '👨‍👩‍👧'],
      ['flags', '🇩🇪'],
      ['keycaps', '1️⃣'],
      ['sixteen', '🍀'.repeat(16)],
      ['letters alongside them', 'abc🍀'],
      ['more than sixteen letters before one', 'abcdefghijklmnopq🍀'],
      ['a lone skin tone', '🏽'],
    ])('%s are rejected', async (_, alias) => {
      const { status, body } = await own({ alias });
      expect([status, body.code, body.field]).toEqual([422, 'validation_error', 'alias']);
      const check = await get(`/api/v1/shorten/check-alias?alias=${encodeURIComponent(alias)}`);
      expect(check.body).toEqual({ available: false, reason: 'emoji_policy' });
    });

    it('can also be set by PATCH', async () => {
      const { body } = await own();
      const change = (alias: string) =>
        request(service.url)
          .patch(`/api/v1/urls/${body.id}`)
          .set(bearer(account.accessToken))
          .send({ alias });
      expect((await change('🦀🦀')).body.alias).toBe('🦀🦀');
      expect((await visit(service, encodeURIComponent('🦀🦀'))).status).toBe(302);
      expect((await change('🇩🇪')).status).toBe(422);
    });

    it('is generated if alias_type requests it and the request has no alias', async () => {
      const emoji = (await own({ alias_type: 'emoji' })).body.alias as string;
      expect(emoji).toMatch(/^\p{Emoji_Presentation}{3}$/u);
      expect((await own({ alias_type: 'alphanumeric' })).body.alias).toMatch(/^[A-Za-z0-9]{7}$/);
      expect((await own({ alias_type: 'emoji', alias: 'letters' })).body.alias).toBe('letters');
      const { status, body } = await own({ alias_type: 'runes' });
      expect([status, body.field]).toEqual([422, 'alias_type']);
    });
  });

  describe('POST /api/v1/urls/claim', () => {
    const claim = (claims: unknown, token = account.accessToken) =>
      post(service, '/api/v1/urls/claim', { claims }).set(bearer(token));
    const statuses = (body: { results: { status: string }[] }) =>
      body.results.map(({ status }) => status);
    const anonymous = async () => {
      const { body } = await shorten(service, { long_url: 'https://example.com/lost' });
      const { id, claim_token, alias } = body as Record<string, string>;
      return { url_id: id ?? '', token: claim_token ?? '', alias: alias ?? '' };
    };

    it('assigns links to the account, with their clicks, with a separate result for each item', async () => {
      const [first, second, others] = [await anonymous(), await anonymous(), await anonymous()];
      const other = await aVerifiedAccount(service);
      await visit(service, first.alias);
      expect((await claim([others], other.accessToken)).body.claimed).toBe(1);
      const { status, body } = await claim([
        first,
        { ...second, token: first.token },
        first,
        { ...first, token: 'x' },
        others,
        { url_id: 'f'.repeat(24), token: first.token },
        { url_id: 'no id', token: first.token },
        { url_id: second.url_id.toUpperCase(), token: second.token },
      ]);
      expect(status).toBe(200);
      expect(statuses(body)).toEqual([
        ...['claimed', 'invalid', 'already_yours', 'already_yours', 'invalid'],
        ...['invalid', 'invalid', 'claimed'],
      ]);
      expect(body.claimed).toBe(2);
      const list = await get('/api/v1/urls?pageSize=100', bearer(account.accessToken));
      for (const { alias } of [first, second]) {
        expect(list.body.items).toContainEqual(expect.objectContaining({ alias }));
      }
      const paused = await request(service.url)
        .patch(`/api/v1/urls/${first.url_id}/status`)
        .set(bearer(account.accessToken))
        .send({ status: 'INACTIVE' });
      expect(paused.status).toBe(200);
      expect((await visit(service, first.alias)).status).toBe(410);
      await eventually('the click counts in the account', async () => {
        const path = `/api/v1/stats?scope=all&short_code=${first.alias}`;
        const stats = await get(path, bearer(account.accessToken));
        return stats.status === 200 && stats.body.summary.total_clicks === 1;
      });
    });

    it('assigns the link to one of two concurrent callers', async () => {
      const lost = await anonymous();
      const other = await aVerifiedAccount(service);
      const answers = await Promise.all([claim([lost]), claim([lost], other.accessToken)]);
      const verdicts = answers.flatMap(({ body }) => statuses(body));
      expect([...verdicts].sort()).toEqual(['claimed', 'invalid']);
    });

    it('returns the token once, except for a repeated request, and never to accounts', async () => {
      const address = anAddress();
      const ask = () =>
        shorten(service, { long_url: 'https://example.com/k' }, address).set(
          'Idempotency-Key',
          'again',
        );
      const [first, replayed] = [await ask(), await ask()];
      expect(replayed.headers['idempotent-replayed']).toBe('true');
      expect(replayed.body).toEqual(first.body);
      expect((await own()).body).not.toHaveProperty('claim_token');
      const claims = [{ url_id: first.body.id, token: first.body.claim_token }];
      const retry = () => claim(claims).set('Idempotency-Key', 'claim-again');
      const twice = [await retry(), await retry()];
      expect(twice.flatMap(({ body }) => statuses(body))).toEqual(['claimed', 'claimed']);
    });

    it.each([
      ['none', []],
      ['17', Array.from({ length: 17 }, () => ({ url_id: 'a', token: 'b' }))],
      ['a token of 129 characters', [{ url_id: 'a', token: 'b'.repeat(129) }]],
      ['a number for a token', [{ url_id: 'a', token: 5 }]],
      ['no token', [{ url_id: 'a' }]],
      ['texts', ['a']],
      ['no list', 'a'],
      ['nothing', undefined],
    ])('%s returns 422', async (_, claims) => {
      expect((await claim(claims)).status).toBe(422);
    });
  });

  describe('Links that a browser has created on the home page', () => {
    const browser = (path: string, cookies: string) =>
      get(path, { Cookie: cookies, Accept: 'text/html' });
    const make = (cookies: string, headers: Record<string, string> = {}) =>
      request(service.url)
        .post('/')
        .type('form')
        .redirects(0)
        .set({ 'X-Forwarded-For': anAddress(), Cookie: cookies, Accept: 'text/html', ...headers })
        .send({ url: 'https://example.com/by-hand' });
    const claimAll = (cookies: string, headers: Record<string, string> = {}) =>
      request(service.url)
        .post('/dashboard/claim')
        .redirects(0)
        .set({ 'X-Forwarded-For': anAddress(), Cookie: cookies, ...headers });

    it('are claimed by the account that signs in with the browser', async () => {
      const made = await make('');
      expect(made.get('Set-Cookie')?.join()).toMatch(
        /^claims=[0-9a-f]{24}\.[\w-]{43}; Max-Age=2592000; Path=\/; .*HttpOnly; (?:Secure; )?SameSite=Lax$/,
      );
      const cookies = cookiesOf(made);
      const result = made.get('Location') ?? '';
      expect((await browser(result, '')).text).not.toContain('Sign in to keep this link');
      expect((await browser(result, cookies)).text).toContain('Sign in to keep this link');
      const second = cookiesOf(await make(cookies));
      const both = `${account.cookies}; ${second}`;
      expect((await browser(result, both)).text).toContain('Keep this link');
      expect((await browser('/dashboard', both)).text).toContain('"claimable":2');
      expect((await claimAll(both, { Origin: 'https://evil.example' })).status).toBe(403);
      const signedOut = await claimAll(second);
      expect([signedOut.status, signedOut.get('Location')]).toEqual([
        303,
        '/login?next=%2Fdashboard',
      ]);
      const claimed = await claimAll(both);
      expect([claimed.status, claimed.get('Location')]).toEqual([303, '/dashboard/links']);
      expect(claimed.get('Set-Cookie')?.join()).toMatch(/^claims=; Max-Age=0; Path=\//);
      expect((await browser(result, account.cookies)).text).toContain('Change link');
    });

    it('store no token for programs, for accounts and for forms from other sites', async () => {
      expect((await make('', { Accept: 'application/json' })).get('Set-Cookie')).toBeUndefined();
      expect((await make(account.cookies)).get('Set-Cookie')).toBeUndefined();
      const foreign = await make('', { Origin: 'https://evil.example' });
      expect([foreign.status, foreign.get('Set-Cookie')]).toEqual([302, undefined]);
    });

    it('keep the newest sixteen tokens, and only valid claims', async () => {
      const kept = (n: number) => `${n.toString(16).padStart(24, '0')}.${'t'.repeat(43)}`;
      const many = ['<script>', ...Array.from({ length: 20 }, (_, i) => kept(i))].join('~');
      const cookie = cookiesOf(await make(`claims=${many}`));
      const claims = cookie.replace('claims=', '').split('~');
      expect(claims).toHaveLength(16);
      expect(claims.slice(1)).toEqual(Array.from({ length: 15 }, (_, i) => kept(i)));
    });
  });

  describe.each(SPOO_CLIENTS)('spoo.me’s client for $name', ({ segment, time }) => {
    const call = (method: 'get' | 'post' | 'patch', path: string, body?: object) =>
      request(service.url)
        [method](`/api/v1${path}`)
        .set({ 'X-Forwarded-For': anAddress(), ...bearer(account.accessToken) })
        .send(body);
    const inAnHour = new Date(Math.ceil(Date.now() / 1000) * 1000 + 3_600_000);
    const OK = { ok: true, error_code: null, error: null };

    it('finds links by address, and reads lists', async () => {
      const made = await own({ expire_after: time(inAnHour), max_clicks: 5 });
      expect(unreadable(made.body, CREATED)).toEqual([]);
      const emoji = (await own({ alias_type: 'emoji' })).body;
      const host = segment(`LocalHost:${service.port}`);
      for (const { id, alias } of [made.body, emoji]) {
        const { status, body } = await call('get', `/urls/${host}/${segment(alias as string)}`);
        expect([status, body.id, unreadable(body as object, ITEM)]).toEqual([200, id, []]);
      }
      const filter = JSON.stringify({
        ...{ status: 'ACTIVE', createdAfter: time(new Date(0)), search: made.body.alias },
        ...{ passwordSet: false, maxClicksSet: true },
      });
      for (const sortOrder of ['descending', 'desc']) {
        const page = { page: 1, pageSize: 100, sortBy: 'created_at', sortOrder, filter };
        const { body } = await call('get', '/urls').query(page);
        expect(unreadable(body as object, PAGE)).toEqual([]);
        const { items } = body as { items: { id: string }[] };
        expect(items.map(({ id }) => id)).toEqual([made.body.id]);
      }
    });

    it('pauses links, sets expiries and deletes in bulk', async () => {
      const links = [(await own()).body, (await own()).body];
      const [one, two] = links.map(({ id }) => id as string);
      const bulk = async (route: string, more: object) => {
        const ids = [one, UNKNOWN, two, one];
        const { status, body } = await call('post', `/urls/bulk/${route}`, { ids, ...more });
        const rows = body.results as object[];
        const read = [body.summary, ...rows].map((each, i) => unreadable(each, i ? ROW : SUMMARY));
        expect([status, read.flat()]).toEqual([200, []]);
        expect(body.summary).toEqual({ total: 3, succeeded: 2, failed: 1 });
        const named = ({ id, alias }: { id: string; alias: string }) => ({ id, alias, ...OK });
        expect([rows[0], rows[2]]).toEqual(links.map(named));
        expect(rows[1]).toMatchObject({ id: UNKNOWN, alias: null, error_code: 'not_found' });
      };
      const shown = async () => (await call('get', `/urls/${one}`)).body;
      await bulk('status', { status: 'INACTIVE' });
      expect((await shown()).status).toBe('INACTIVE');
      await bulk('expiry', { expire_after: time(inAnHour) });
      expect((await shown()).expire_after).toBe(inAnHour.getTime() / 1000);
      await bulk('expiry', { expire_after: null });
      const again = await call('patch', `/urls/${two}`, { expire_after: time(inAnHour) });
      expect(unreadable(again.body as object, UPDATED)).toEqual([]);
      await bulk('delete', {});
      expect((await call('get', `/urls/${one}`)).status).toBe(404);
    });

    it('claims links, previews them first, and supports emoji', async () => {
      const lost = (await shorten(service, { long_url: 'https://example.com/lost' })).body;
      expect(unreadable(lost as object, CREATED)).toEqual([]);
      const preview = (await get(`/api/v1/public/preview/${segment(lost.alias as string)}`)).body;
      expect(unreadable(preview as object, PREVIEW)).toEqual([]);
      expect(unreadable(preview.destination as object, DESTINATION)).toEqual([]);
      const claims = [{ url_id: lost.id, token: lost.claim_token }];
      const { body } = await call('post', '/urls/claim', { claims });
      expect(body).toEqual({ results: [{ url_id: lost.id, status: 'claimed' }], claimed: 1 });
      const set = (await get('/api/v1/emoji-set')).body;
      expect(unreadable(set as object, EMOJI_SET)).toEqual([]);
      const entries = (set.emoji as object[]).flatMap((each) => unreadable(each, EMOJI));
      expect(entries).toEqual([]);
    });
  });
});

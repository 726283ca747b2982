import request from 'supertest';
import type { Connection } from 'mongoose';
import { aLink } from '../../support/factories/links';
import { anAddress, post, shorten, visit } from '../../support/http';
import { databaseOf, totalClicks } from '../../support/database';
import { eventually, startService, type Service } from '../../support/service';
import { expiringSoon } from '../../support/soon';

const BOT = 'Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)';

describe.each(['true', 'false'])('GET /{code}, FAST_PATH=%s', (FAST_PATH) => {
  let service: Service;
  let other: Service;
  let database: Connection;

  beforeAll(async () => {
    service = await startService({ env: { FAST_PATH } });
    other = await startService({ database: service.database, env: { FAST_PATH } });
    database = await databaseOf(service);
  });
  afterAll(async () => {
    await database.close();
    await Promise.all([service.stop(), other.stop()]);
  });

  it('logs that the fast path is off', () => {
    const lines = service.log().match(/The fast path is off: FAST_PATH is false/g);
    expect(lines ?? []).toHaveLength(FAST_PATH === 'true' ? 0 : 1);
  });

  it('redirects with 302 to the unchanged destination and counts the click once', async () => {
    const link = await aLink(service, { long_url: "https://example.com/a%20b?q='1'#f" });
    const answer = await visit(service, `${link.alias}?utm_source=news`);
    expect(answer.status).toBe(302);
    expect(answer.headers).toMatchObject({
      location: "https://example.com/a%20b?q='1'#f",
      'cache-control': 'no-store',
      'x-robots-tag': 'noindex, nofollow',
      'x-content-type-options': 'nosniff',
      'x-frame-options': 'DENY',
      'x-request-id': expect.stringMatching(/^req_[0-9a-f]{12}$/),
    });
    expect(answer.headers['x-ratelimit-limit']).toBeUndefined();
    await eventually(
      'the click is stored',
      async () => (await totalClicks(database, link.id)) === 1,
    );
  });

  it('returns the same headers for HEAD without counting', async () => {
    const link = await aLink(service);
    const answer = await request(service.url).head(`/${link.alias}`).redirects(0);
    expect(answer.status).toBe(302);
    expect(answer.headers.location).toBe(link.long_url);
    await visit(service, link.alias);
    await eventually('the click is stored', async () => (await totalClicks(database, link.id)) > 0);
    expect(await totalClicks(database, link.id)).toBe(1);
  });

  describe('to a non-ASCII host', () => {
    const long_url = 'https://user@bücher.example:8443/straße?q=ü#ä';
    const location = 'https://user@xn--bcher-kva.example:8443/stra%C3%9Fe?q=%C3%BC#%C3%A4';

    it.each([
      ['at once', {}],
      ['a slot later', { max_clicks: 9 }],
      ['behind a password', { password: 'tulips@2030' }],
    ])('uses its DNS form, %s, and keeps the stored destination', async (_, settings) => {
      const link = await aLink(service, { long_url, ...settings });
      expect(link.long_url).toBe(long_url);
      const headers = { 'X-Link-Password': 'tulips@2030' };
      for (let visits = 0; visits < 2; visits++)
        expect((await visit(service, link.alias, headers)).headers).toMatchObject({ location });
      const head = await request(service.url).head(`/${link.alias}`).set(headers).redirects(0);
      expect(head.headers).toMatchObject({ location });
    });

    it('also uses it after the password form and for a v0 link', async () => {
      const locked = await aLink(service, { long_url, password: 'tulips@2030' });
      const unlocked = await post(service, `/${locked.alias}/password`, { password: 'tulips@2030' })
        .type('form')
        .redirects(0);
      expect(unlocked.status).toBe(303);
      expect(unlocked.headers).toMatchObject({ location });
      const old = await post(service, '/', { url: long_url, alias: 'buecher' })
        .type('form')
        .set('Accept', 'application/json');
      expect(old.body).toMatchObject({ original_url: long_url });
      expect((await visit(service, 'buecher')).headers).toMatchObject({ location });
    });
  });

  it.each(['nobody', '%00', '%ff', '%', 'a%2Fb', 'x'.repeat(10_000), 'ads.txt', '%F0%9F%9A%80'])(
    'returns 404 for /%s',
    async (code) => {
      const json = await visit(service, code);
      expect(json.status).toBe(404);
      expect(json.body).toEqual({ error: expect.any(String), code: 'not_found' });
      const page = await visit(service, code, { Accept: 'text/html' });
      expect(page.status).toBe(404);
      expect(page.headers['content-type']).toMatch(/^text\/html/);
      expect(page.headers['content-security-policy']).toMatch(/^default-src 'self'/);
      for (const answer of [json, page]) {
        expect(answer.headers).toMatchObject({
          'x-error-code': 'not_found',
          'cache-control': 'no-store',
          'x-robots-tag': 'noindex, nofollow',
        });
      }
    },
  );

  it('returns 410 after the expiry', async () => {
    const inHours = await aLink(service, { expire_after: Math.floor(Date.now() / 1000) + 3600 });
    expect((await visit(service, inHours.alias)).status).toBe(302);
    const { body: link } = await expiringSoon((expire_after) =>
      shorten(service, { long_url: 'https://example.com/', expire_after }),
    );
    await eventually(
      'it has expired',
      async () => (await visit(service, link.alias)).status === 410,
    );
    expect((await visit(service, link.alias)).body.code).toBe('gone');
  });

  it('blocks bots on request, but not for HEAD', async () => {
    const link = await aLink(service, { block_bots: true });
    const bot = await visit(service, link.alias, { 'User-Agent': BOT });
    expect(bot.status).toBe(403);
    expect(bot.body.code).toBe('forbidden');
    expect((await request(service.url).head(`/${link.alias}`).set('User-Agent', BOT)).status).toBe(
      302,
    );
    expect(
      (await visit(service, link.alias, { 'User-Agent': 'Mozilla/5.0 Firefox/130.0' })).status,
    ).toBe(302);
    expect((await visit(service, link.alias).unset('User-Agent')).status).toBe(302);
    expect((await visit(service, (await aLink(service)).alias, { 'User-Agent': BOT })).status).toBe(
      302,
    );
  });

  it('allows people in in-app browsers, but not the crawlers of the same companies', async () => {
    const link = await aLink(service, { block_bots: true });
    const app =
      '[FBAN/FB4A;FBAV/330.0.0.30.120;FBLC/es_LA;FBCR/Claro;FBPN/com.facebook.katana;FBDV/DRA-L1;]';
    const seen = async (agent: string) =>
      (await visit(service, link.alias, { 'User-Agent': agent })).status;
    expect(await seen(app)).toBe(302);
    expect(await seen('facebookexternalhit/1.1')).toBe(403);
    expect(await seen('meta-externalagent/1.1')).toBe(403);
  });

  it('redirects exactly max_clicks of 500 concurrent visitors, on two services', async () => {
    const link = await aLink(service, { max_clicks: 10 });
    const answers = await Promise.all(
      Array.from({ length: 500 }, (_, i) =>
        visit(i % 2 ? service : other, link.alias).then((a) => a.status),
      ),
    );
    expect(answers.filter((s) => s === 302)).toHaveLength(10);
    expect(answers.filter((s) => s === 410)).toHaveLength(490);
    expect(
      (await request(service.url).head(`/${link.alias}`).set('Accept', 'application/json')).status,
    ).toBe(410);
    await eventually(
      'the clicks are stored',
      async () => (await totalClicks(database, link.id)) === 10,
    );
  });

  it('uses no click for HEAD', async () => {
    const link = await aLink(service, { max_clicks: 1 });
    for (let i = 0; i < 3; i++) {
      expect((await request(service.url).head(`/${link.alias}`).redirects(0)).status).toBe(302);
    }
    expect((await visit(service, link.alias)).status).toBe(302);
    expect((await visit(service, link.alias)).status).toBe(410);
  });

  it('finds a link that was just created elsewhere, even after it was not found before', async () => {
    expect((await visit(other, 'comes-later')).status).toBe(404);
    await aLink(service, { alias: 'comes-later' });
    expect((await visit(other, 'comes-later')).status).toBe(302);
  });

  it('handles thousands of unknown aliases and still finds a known one', async () => {
    const link = await aLink(service);
    const unknown: number[] = [];
    for (let round = 0; round < 15; round++) {
      const visits = Array.from({ length: 200 }, (_, i) =>
        fetch(`${service.url}/unknown-${round}-${i}`, { redirect: 'manual' }),
      );
      unknown.push(...(await Promise.all(visits)).map((answer) => answer.status));
    }
    expect(new Set(unknown)).toEqual(new Set([404]));
    expect((await visit(service, link.alias)).status).toBe(302);
  });

  it('returns 405 for other methods', async () => {
    const link = await aLink(service);
    const answer = await request(service.url)
      .delete(`/${link.alias}`)
      .set('Accept', 'application/json');
    expect(answer.status).toBe(405);
    expect(answer.headers.allow).toBe('GET, HEAD');
    expect(answer.body.code).toBe('method_not_allowed');
  });

  it('counts each of many concurrent visitors', async () => {
    const link = await aLink(service);
    const address = anAddress();
    await Promise.all(
      Array.from({ length: 300 }, () => visit(service, link.alias, { 'X-Forwarded-For': address })),
    );
    await eventually(
      'the clicks are stored',
      async () => (await totalClicks(database, link.id)) >= 300,
    );
    expect(await totalClicks(database, link.id)).toBe(300);
  });
});

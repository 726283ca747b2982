import request from 'supertest';
import type { Connection } from 'mongoose';
import { ApiClient } from '../../support/api-client';
import { aLink, type MadeLink } from '../../support/factories/links';
import { anAddress, visit } from '../../support/http';
import { databaseOf, totalClicks } from '../../support/database';
import { eventually, startService, type Service } from '../../support/service';

const PASSWORD = 'Geheim1@x';

describe('a link with a password', () => {
  let service: Service;
  let database: Connection;
  let link: MadeLink;

  beforeAll(async () => {
    service = await startService();
    database = await databaseOf(service);
  });
  beforeEach(async () => {
    link = await aLink(service, { password: PASSWORD });
  });
  afterAll(async () => {
    await database.close();
    await service.stop();
  });

  const submit = (alias: string, fields: object, headers: object = {}): request.Test =>
    request(service.url)
      .post(`/${alias}/password`)
      .redirects(0)
      .type('form')
      .set({ 'X-Forwarded-For': anAddress(), Accept: 'application/json', ...headers })
      .send(fields);

  it('returns 401 without it, with a form that submits to the same path', async () => {
    const json = await visit(service, link.alias);
    expect(json.status).toBe(401);
    expect(json.body.code).toBe('password_required');
    const page = await visit(service, link.alias, { Accept: 'text/html' });
    expect(page.status).toBe(401);
    expect(page.headers['x-error-code']).toBe('password_required');
    expect(page.headers['cache-control']).toBe('no-store');
    expect(page.text).toContain(`action="/${link.alias}/password"`);
    expect(page.text).toContain('type="password"');
  });

  it('opens with a form and 303, and counts the click', async () => {
    const answer = await submit(link.alias, { password: PASSWORD });
    expect(answer.status).toBe(303);
    expect(answer.headers.location).toBe(link.long_url);
    expect(answer.headers['cache-control']).toBe('no-store');
    await eventually(
      'the click is stored',
      async () => (await totalClicks(database, link.id)) === 1,
    );
  });

  it('opens with a header, which takes precedence over the query, and with a query', async () => {
    const query = `${link.alias}?password=${encodeURIComponent(PASSWORD)}`;
    expect((await visit(service, link.alias, { 'X-Link-Password': PASSWORD })).status).toBe(302);
    expect((await visit(service, query)).status).toBe(302);
    expect((await visit(service, query, { 'X-Link-Password': 'wrong' })).status).toBe(401);
    const head = await request(service.url)
      .head(`/${query}`)
      .set('X-Forwarded-For', anAddress())
      .redirects(0);
    expect(head.status).toBe(302);
    await eventually(
      'two clicks are stored',
      async () => (await totalClicks(database, link.id)) === 2,
    );
  });

  it('shows the form again for a wrong password', async () => {
    const json = await submit(link.alias, { password: 'wrong' });
    expect(json.status).toBe(401);
    expect(json.body.code).toBe('invalid_password');
    const page = await submit(link.alias, { password: 'wrong' }, { Accept: 'text/html' });
    expect(page.status).toBe(401);
    expect(page.text).toContain(`action="/${link.alias}/password"`);
  });

  it('handles the other cases of the form', async () => {
    expect((await submit(link.alias, {})).body.code).toBe('password_required');
    expect((await submit('nobody', { password: 'x' })).status).toBe(404);
    expect((await submit((await aLink(service)).alias, { password: 'x' })).status).toBe(400);
    const once = await aLink(service, { password: PASSWORD, max_clicks: 1 });
    expect((await submit(once.alias, { password: PASSWORD })).status).toBe(303);
    expect((await submit(once.alias, { password: PASSWORD })).status).toBe(410);
    const nobots = await aLink(service, { password: PASSWORD, block_bots: true });
    expect(
      (await submit(nobots.alias, { password: PASSWORD }, { 'User-Agent': 'Googlebot/2.1' }))
        .status,
    ).toBe(403);
  });

  it('ignores header and query on other links', async () => {
    const open = await aLink(service);
    for (let i = 0; i < 15; i++) {
      expect(
        (await visit(service, `${open.alias}?password=x`, { 'X-Link-Password': 'y' })).status,
      ).toBe(302);
    }
  });

  it('counts correct and wrong passwords, up to 10 a minute per address and link', async () => {
    const address = anAddress();
    const attempt = (password: string): request.Test =>
      visit(service, link.alias, { 'X-Forwarded-For': address, 'X-Link-Password': password });
    for (let i = 0; i < 5; i++) expect((await attempt('wrong')).status).toBe(401);
    for (let i = 0; i < 5; i++) expect((await attempt(PASSWORD)).status).toBe(302);
    const stopped = await attempt(PASSWORD);
    expect(stopped.status).toBe(429);
    expect(stopped.headers).toMatchObject({
      'x-ratelimit-limit': '10',
      'x-ratelimit-remaining': '0',
      'retry-after': expect.stringMatching(/^\d+$/),
    });
    expect(
      (await submit(link.alias, { password: PASSWORD }, { 'X-Forwarded-For': address })).status,
    ).toBe(429);
    expect((await visit(service, link.alias, { 'X-Forwarded-For': address })).status).toBe(401);
    expect((await visit(service, link.alias, { 'X-Link-Password': PASSWORD })).status).toBe(302);
  });

  it('has rate-limit headers after a correct password, but other redirects have none', async () => {
    const from = { 'X-Forwarded-For': anAddress() };
    const byHeader = await visit(service, link.alias, { ...from, 'X-Link-Password': PASSWORD });
    const byForm = await submit(link.alias, { password: PASSWORD }, from);
    const head = await request(service.url)
      .head(`/${link.alias}`)
      .set({ ...from, 'X-Link-Password': PASSWORD })
      .redirects(0);
    const answers = [byHeader, byForm, head];
    expect(answers.map(({ status }) => status)).toEqual([302, 303, 302]);
    for (const [i, { headers }] of answers.entries()) {
      expect(headers).toMatchObject({
        location: link.long_url,
        'x-ratelimit-limit': '10',
        'x-ratelimit-remaining': String(9 - i),
        'x-ratelimit-reset': expect.stringMatching(/^\d+$/),
      });
    }
    const open = await visit(service, (await aLink(service)).alias, { 'X-Link-Password': 'x' });
    expect(Object.keys(open.headers).filter((name) => /ratelimit/.test(name))).toEqual([]);
  });

  describe('counts the visit that led to the password form', () => {
    const MAIL = 'https://mail.example';
    let owner: ApiClient;
    let own: MadeLink;
    beforeEach(async () => {
      owner = await ApiClient.on(service);
      own = await owner.aLink({ password: PASSWORD });
    });

    /** Submits a page's form from the page's own address, like a browser. */
    const fillIn = (page: request.Response, password: string): request.Test => {
      const [, action = ''] = /<form method="post" action="([^"]*)"/.exec(page.text) ?? [];
      const [, referrer = ''] = /name="referrer" value="([^"]*)"/.exec(page.text) ?? [];
      return request(service.url)
        .post(action.replaceAll('&amp;', '&'))
        .redirects(0)
        .type('form')
        .set({ 'X-Forwarded-For': anAddress(), Accept: 'text/html' })
        .set('Referer', `http://localhost:${service.port}/${own.alias}`)
        .send({ password, referrer });
    };
    const clicksBy = async (dimension: string): Promise<unknown> => {
      const path = `/api/v1/stats/links/${own.id}?group_by=${dimension}&metrics=clicks`;
      const { metrics } = (await owner.call('get', path)).body as {
        metrics: Record<string, Record<string, unknown>[]>;
      };
      return metrics[`clicks_by_${dimension}`]?.map((row) => row[dimension]);
    };
    const counted = () =>
      eventually('the click is stored', async () => (await totalClicks(database, own.id)) === 1);

    it('with its campaign and referrer, even after a wrong attempt and on the way back', async () => {
      const headers = { Accept: 'text/html', Referer: `${MAIL}/inbox?id=1` };
      const query = `utm_source=news&utm_medium=%22%3E%3Ci%3E&password=none&qr=1`;
      const asked = await visit(service, `${own.alias}?${query}`, headers);
      expect(asked.text).not.toContain('password=');
      const again = await fillIn(asked, 'wrong');
      expect(again.status).toBe(401);
      const back = await visit(service, `${own.alias}/password?${query}`, headers);
      expect([back.status, back.headers.location]).toEqual([
        303,
        `/${own.alias}?utm_source=news&utm_medium=%22%3E%3Ci%3E&qr=1`,
      ]);
      expect((await fillIn(again, PASSWORD)).status).toBe(303);
      await counted();
      expect(await clicksBy('utm_source')).toEqual(['news']);
      expect(await clicksBy('utm_medium')).toEqual(['"><i>']);
      expect(await clicksBy('referrer')).toEqual([MAIL]);
      expect(await clicksBy('trigger')).toEqual(['qr']);
    });

    it('as Direct if it had no referrer, or one from this service', async () => {
      const asked = await visit(service, own.alias, {
        Accept: 'text/html',
        Referer: `http://localhost:${service.port}/${own.alias}/password`,
      });
      expect((await fillIn(asked, PASSWORD)).status).toBe(303);
      await counted();
      expect(await clicksBy('referrer')).toEqual(['Direct']);
      expect(await clicksBy('utm_source')).toEqual(['(none)']);
      expect(await clicksBy('trigger')).toEqual(['link']);
    });

    it('with no more data than a header can contain', async () => {
      const answer = await submit(own.alias, {
        password: PASSWORD,
        referrer: `https://${'x'.repeat(600)}.example/`,
      });
      expect(answer.status).toBe(303);
      await counted();
      expect(await clicksBy('referrer')).toEqual(['Direct']);
    });
  });

  it('allows only its form to redirect to other sites', async () => {
    const page = await visit(service, link.alias, { Accept: 'text/html' });
    expect(page.headers['content-security-policy']).toContain('form-action *;');
    for (const path of [
      '',
      'stats',
      'login',
      'register',
      'login/forgot-password',
      `${link.alias}+`,
    ]) {
      const { headers } = await visit(service, path, { Accept: 'text/html' });
      expect([path, headers['content-security-policy']]).toEqual([
        path,
        expect.stringContaining("form-action 'self';"),
      ]);
    }
  });

  it('opens with the same letters in any encoding', async () => {
    const [composed, decomposed] = ['Caf\u00e9.2024x', 'Cafe\u0301.2024x'];
    const cafe = await aLink(service, { password: decomposed });
    for (const password of [composed, decomposed, '\uff23af\u00e9.2024x']) {
      expect((await submit(cafe.alias, { password })).status).toBe(303);
    }
    expect((await submit(cafe.alias, { password: 'Cafe.2024x' })).status).toBe(401);
    for (const coding of ['utf8', 'latin1'] as const) {
      const header = Buffer.from(composed, coding).toString('latin1');
      const open = await visit(service, cafe.alias, { 'X-Link-Password': header });
      expect([coding, open.status]).toEqual([coding, 302]);
      const statistics = await request(service.url)
        .get(`/api/v1/stats?scope=anon&short_code=${cafe.alias}`)
        .set({ 'X-Forwarded-For': anAddress(), 'X-Link-Password': header });
      expect([coding, statistics.status]).toEqual([coding, 200]);
    }
  });

  it('never writes the password to a log or file', async () => {
    await visit(service, `${link.alias}?password=${encodeURIComponent(PASSWORD)}&utm_source=a`);
    const record = await database.collection('links').findOne({ alias: link.alias });
    expect(JSON.stringify(record)).not.toContain(PASSWORD);
    expect(record?.password_hash).toMatch(/^\$2b\$/);
    expect(service.log()).not.toContain(PASSWORD);
  });
});

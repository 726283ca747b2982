import { randomUUID } from 'node:crypto';
import type { Connection } from 'mongoose';
import { aLink, anAddress, visit } from '../support/client';
import { databaseOf } from '../support/database';
import { eventually, startService, type Service } from '../support/service';
import { aV0Link, getPath, postForm } from '../support/v0';

const CHROME =
  'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/120.0.0.0 Safari/537.36';
const BOT = 'Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)';
const PASSWORD = 'Geheim1@x';

describe('/stats', () => {
  let service: Service;
  let database: Connection;

  beforeAll(async () => {
    service = await startService();
    database = await databaseOf(service);
  });
  afterAll(async () => {
    await database.close();
    await service.stop();
  });

  /** Two visitors: one with a browser comes twice, one is a bot. */
  async function visited(code: string): Promise<void> {
    const reader = { 'User-Agent': CHROME, 'X-Forwarded-For': anAddress() };
    const referred = { ...reader, Referer: 'https://news.example.com/item?id=1' };
    for (const headers of [reader, referred, { 'User-Agent': BOT }]) {
      expect((await visit(service, code, headers)).status).toBe(302);
    }
    await eventually('three clicks are counted', async () => {
      const link = await database.collection('links').findOne({ alias: code });
      return link?.total_clicks === 3;
    });
  }

  const privately = (alias: string) =>
    database.collection('links').updateOne({ alias }, { $set: { private_stats: true } });

  describe('POST /stats/{code}', () => {
    it('answers every key for a link that nobody has followed', async () => {
      const code = await aV0Link(service, { url: 'https://example.com/x?y=z' });
      const { status, body, headers } = await postForm(
        service,
        `/stats/${code}`,
        {},
        { accept: null },
      );
      expect(status).toBe(200);
      expect(headers['content-type']).toContain('application/json');
      expect(body).toEqual({
        _id: code,
        short_code: code,
        url: 'https://example.com/x?y=z',
        'total-clicks': 0,
        total_unique_clicks: 0,
        'max-clicks': null,
        'expiration-time': null,
        password: null,
        'block-bots': false,
        expired: null,
        'creation-date': expect.stringMatching(/^\d{4}-\d\d-\d\d$/),
        'creation-time': expect.stringMatching(/^\d\d:\d\d:\d\d$/),
        'last-click': null,
        'last-click-browser': null,
        'last-click-os': null,
        'last-click-country': null,
        average_daily_clicks: 0,
        average_weekly_clicks: 0,
        average_monthly_clicks: 0,
        average_redirection_time: 0,
        counter: {},
        unique_counter: {},
        browser: {},
        os_name: {},
        country: {},
        referrer: {},
        bots: {},
        unique_browser: {},
        unique_os_name: {},
        unique_country: {},
        unique_referrer: {},
      });
    });

    it('counts clicks and visitors by label', async () => {
      const code = await aV0Link(service, { 'max-clicks': '100' });
      await visited(code);
      const { body } = await postForm(service, `/stats/${code}`);
      const counter = body.counter as Record<string, number>;
      const days = Object.keys(counter);
      expect(body).toMatchObject({
        'total-clicks': 3,
        total_unique_clicks: 2,
        'max-clicks': '100',
        expired: false,
        'last-click': expect.stringMatching(/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/),
        'last-click-browser': expect.any(String),
        'last-click-os': expect.any(String),
        'last-click-country': expect.any(String),
        average_daily_clicks: Math.round((3 / days.length) * 100) / 100,
        average_weekly_clicks: 0.43,
        average_monthly_clicks: 0.1,
        referrer: { Direct: 2, 'https://news_example_com': 1 },
        unique_referrer: { Direct: 2, 'https://news_example_com': 1 },
        bots: { Google: 1 },
      });
      expect(days[0]).toBe(body['creation-date']);
      expect(Object.values(counter).reduce((a, b) => a + b)).toBe(3);
      expect(body.browser.Chrome).toBe(2);
      expect(body.unique_browser.Chrome).toBe(1);
      expect(body.os_name.Windows).toBe(2);
      expect(body.unique_os_name.Windows).toBe(1);
      expect(body.average_redirection_time).toBeGreaterThanOrEqual(0);
    });

    it('tells that limit or expiry is reached', async () => {
      const limited = await aV0Link(service, { 'max-clicks': '1' });
      await visit(service, limited);
      expect((await postForm(service, `/stats/${limited}`)).body.expired).toBe(true);
      const { alias } = await aLink(service, { expire_after: Math.ceil(Date.now() / 1000) + 2 });
      const first = (await postForm(service, `/stats/${alias}`)).body;
      expect(first.expired).toBe(false);
      expect(first['expiration-time']).toMatch(/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/);
      await eventually(
        'it expires',
        async () => (await postForm(service, `/stats/${alias}`)).body.expired as boolean,
      );
    });

    it('serves v1 links with public statistics, and hides private ones like unknown ones', async () => {
      const { alias } = await aLink(service);
      expect((await postForm(service, `/stats/${alias}`)).body._id).toBe(alias);
      await privately(alias);
      const hidden = await postForm(service, `/stats/${alias}`);
      const unknown = await postForm(service, `/stats/${randomUUID().slice(0, 8)}`);
      for (const { status, headers } of [hidden, unknown]) {
        expect(status).toBe(404);
        expect(headers['x-error-code']).toBe('not_found');
      }
      expect(hidden.body).toEqual({ UrlError: expect.any(String) });
      expect(hidden.body).toEqual(unknown.body);
    });

    it('asks for the password of the link, by form or query', async () => {
      const code = await aV0Link(service, { password: PASSWORD });
      for (const fields of [{}, { password: 'Wrong1@xx' }]) {
        const { status, body, headers } = await postForm(service, `/stats/${code}`, fields);
        expect(status).toBe(400);
        expect(body).toEqual({ PasswordError: expect.any(String) });
        expect(headers['x-ratelimit-limit']).toBe('20');
      }
      const right = { password: PASSWORD };
      const byForm = await postForm(service, `/stats/${code}`, right);
      expect(byForm.status).toBe(200);
      expect(byForm.body.password).toBe('********');
      expect(byForm.headers['x-ratelimit-limit']).toBe('20');
      const byQuery = await postForm(service, `/stats/${code}`, {}, { query: right });
      expect(byQuery.status).toBe(200);
    });

    it('counts presented passwords in the throttle of the link', async () => {
      const code = await aV0Link(service, { password: PASSWORD });
      const address = anAddress();
      for (let i = 0; i < 10; i++) {
        await postForm(service, `/stats/${code}`, { password: 'Wrong1@xx' }, { address });
      }
      const answer = await postForm(service, `/stats/${code}`, { password: PASSWORD }, { address });
      expect(answer.status).toBe(429);
      expect(answer.headers['x-svc-hint']).toBeUndefined();
      const headers = { 'X-Link-Password': PASSWORD, 'X-Forwarded-For': address };
      expect((await visit(service, code, headers)).status).toBe(429);
    });

    it('answers with pages when Accept contains text/html', async () => {
      const accept = 'text/html,application/json';
      const code = await aV0Link(service, { password: PASSWORD });
      const unknown = await postForm(service, '/stats/nobody', {}, { accept });
      expect(unknown.status).toBe(404);
      expect(unknown.text).toContain('<html');
      const asking = await postForm(service, `/stats/${code}`, {}, { accept });
      expect(asking.status).toBe(400);
      expect(asking.text).toContain(`<form method="post" action="/stats/${code}"`);
      const shown = await postForm(service, `/stats/${code}`, { password: PASSWORD }, { accept });
      expect(shown.status).toBe(200);
      expect(shown.headers['content-security-policy']).toContain("default-src 'self'");
      expect(shown.text).toContain('About the link');
    });
  });

  describe('GET /stats/{code}', () => {
    it('shows totals, the drawn time series, bar lists and files', async () => {
      const code = await aV0Link(service);
      await visited(code);
      const { status, text, headers } = await getPath(service, `/stats/${code}`, { accept: null });
      expect(status).toBe(200);
      expect(headers['content-type']).toBe('text/html; charset=utf-8');
      expect(headers['cache-control']).toBe('no-store');
      expect(text).toMatch(/<svg class="chart"[^>]*role="img"/);
      for (const part of ['https://news.example.com', 'Chrome', 'Windows', 'Google']) {
        expect(text).toContain(part);
      }
      for (const format of ['csv', 'xlsx', 'json', 'xml']) {
        expect(text).toContain(`href="/export/${code}/${format}"`);
      }
      expect(text).not.toMatch(/\sstyle=|<script/);
    });

    it('answers 404 for unknown and private links, 400 with a form without the password', async () => {
      const hidden = await aV0Link(service);
      await privately(hidden);
      const locked = await aV0Link(service, { password: PASSWORD });
      for (const code of ['nobody', hidden]) {
        const page = await getPath(service, `/stats/${code}`);
        expect(page.status).toBe(404);
        expect(page.headers['content-type']).toContain('text/html');
        expect(page.headers['x-error-code']).toBe('not_found');
      }
      for (const query of [{}, { password: 'Wrong1@xx' }]) {
        const page = await getPath(service, `/stats/${locked}`, { query });
        expect(page.status).toBe(400);
        expect(page.text).toContain(`action="/stats/${locked}"`);
        expect(page.text).not.toContain('Wrong1@xx');
      }
      const query = { password: PASSWORD };
      expect((await getPath(service, `/stats/${locked}`, { query })).status).toBe(200);
    });

    it('finds emoji codes', async () => {
      await postForm(service, '/emoji', { url: 'https://example.com/', emojies: '🦉' });
      const page = await getPath(service, `/stats/${encodeURIComponent('🦉')}`);
      expect(page.status).toBe(200);
      expect(page.text).toContain(`href="/export/${encodeURIComponent('🦉')}/csv"`);
    });
  });

  describe('/stats', () => {
    it('has a form that leads to the statistics of a code or a short URL', async () => {
      const form = await getPath(service, '/stats');
      expect(form.status).toBe(200);
      expect(form.text).toContain('name="short_code"');
      for (const short_code of ['abc', `http://localhost:${service.port}/abc`, 'x.test/abc/']) {
        const answer = await postForm(service, '/stats', { short_code }, { accept: 'text/html' });
        expect(answer.status).toBe(302);
        expect(answer.headers.location).toBe('/stats/abc');
      }
      const emoji = await postForm(service, '/stats', { short_code: '🦉' });
      expect(emoji.headers.location).toBe(`/stats/${encodeURIComponent('🦉')}`);
    });

    it('answers 400 when the code is missing', async () => {
      for (const fields of [{}, { short_code: '' }, { short_code: '/' }]) {
        const page = await postForm(service, '/stats', fields, { accept: 'text/html' });
        expect(page.status).toBe(400);
        expect(page.text).toContain('name="short_code"');
        expect(page.headers['x-error-code']).toBe('validation_error');
      }
      expect((await postForm(service, '/stats')).body.field).toBe('short_code');
    });
  });

  it('allows 20 a minute on /stats/{code}, GET and POST together, apart from /stats', async () => {
    const address = anAddress();
    for (let i = 0; i < 10; i++) await postForm(service, '/stats/nobody', {}, { address });
    for (let i = 0; i < 10; i++) await getPath(service, '/stats/nobody', { address });
    const json = await postForm(service, '/stats/nobody', {}, { address, accept: null });
    expect(json.status).toBe(429);
    expect(json.body).toEqual({ error: expect.any(String), code: 'rate_limit_exceeded' });
    const page = await getPath(service, '/stats/nobody', { address });
    expect(page.status).toBe(429);
    expect(page.text).toContain('<html');
    const form = await getPath(service, '/stats', { address });
    expect(form.status).toBe(200);
    expect(form.headers['x-ratelimit-limit']).toBe('20');
  });

  it('answers 404 below a code, never a look-up', async () => {
    expect((await getPath(service, '/stats/abc/def')).status).toBe(404);
  });
});

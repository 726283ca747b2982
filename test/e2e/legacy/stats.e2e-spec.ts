import { randomUUID } from 'node:crypto';
import type { Connection } from 'mongoose';
import { aLink } from '../../support/factories/links';
import { anAddress, shorten, visit } from '../../support/http';
import { startWithDatabase } from '../../support/database';
import { eventually, type Service } from '../../support/service';
import { expiringSoon } from '../../support/soon';
import { makePrivate } from '../../support/shared/stored-link';
import { aV0Link, postForm, visitThrice } from '../../support/legacy-requests';

const PASSWORD = 'Geheim1@x';

describe('/stats', () => {
  let service: Service;
  let database: Connection;
  let stop: () => Promise<void>;

  beforeAll(async () => ({ service, database, stop } = await startWithDatabase()));
  afterAll(() => stop());

  describe('POST /stats/{code}', () => {
    it('returns every key for a link without clicks', async () => {
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
      await visitThrice(service, database, code);
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
        bots: { Googlebot: 1 },
      });
      expect(days[0]).toBe(body['creation-date']);
      expect(Object.values(counter).reduce((a, b) => a + b)).toBe(3);
      expect(body.browser.Chrome).toBe(2);
      expect(body.unique_browser.Chrome).toBe(1);
      expect(body.os_name.Windows).toBe(2);
      expect(body.unique_os_name.Windows).toBe(1);
      expect(body.average_redirection_time).toBeGreaterThanOrEqual(0);
    });

    it('reports a reached limit or expiry', async () => {
      const limited = await aV0Link(service, { 'max-clicks': '1' });
      await visit(service, limited);
      expect((await postForm(service, `/stats/${limited}`)).body.expired).toBe(true);
      const inHours = await aLink(service, { expire_after: Math.ceil(Date.now() / 1000) + 3600 });
      const first = (await postForm(service, `/stats/${inHours.alias}`)).body;
      expect(first.expired).toBe(false);
      expect(first['expiration-time']).toMatch(/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/);
      const { body: link } = await expiringSoon((expire_after) =>
        shorten(service, { long_url: 'https://example.com/', expire_after }),
      );
      await eventually(
        'it expires',
        async () => (await postForm(service, `/stats/${link.alias}`)).body.expired as boolean,
      );
    });

    it('does not reveal the destination of a closed link, in any form', async () => {
      const url = 'https://example.com/secret-target';
      const closed = await aV0Link(service, { url, 'max-clicks': '1' });
      expect((await postForm(service, `/stats/${closed}`)).body.url).toBe(url);
      expect((await visit(service, closed)).status).toBe(302);
      expect((await postForm(service, `/stats/${closed}`)).body.url).toBe('');
      const page = await postForm(service, `/stats/${closed}`, {}, { accept: 'text/html' });
      const file = await postForm(service, `/export/${closed}/json`);
      for (const { status, text } of [page, file]) {
        expect(status).toBe(200);
        expect(text).not.toContain('secret-target');
      }
    });

    it('returns v1 links with public statistics, and treats private ones like unknown ones', async () => {
      const { alias } = await aLink(service);
      expect((await postForm(service, `/stats/${alias}`)).body._id).toBe(alias);
      await makePrivate(database, alias);
      const hidden = await postForm(service, `/stats/${alias}`);
      const unknown = await postForm(service, `/stats/${randomUUID().slice(0, 8)}`);
      for (const { status, headers } of [hidden, unknown]) {
        expect(status).toBe(404);
        expect(headers['x-error-code']).toBe('not_found');
      }
      expect(hidden.body).toEqual({ UrlError: expect.any(String) });
      expect(hidden.body).toEqual(unknown.body);
    });

    it("requires the link's password, in a form or in the query", async () => {
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

    it('counts password attempts together with those of the link', async () => {
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

    it('returns pages if Accept contains text/html', async () => {
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
});

import type { Connection } from 'mongoose';
import { anAddress } from '../../support/http';
import { startWithDatabase } from '../../support/database';
import type { Service } from '../../support/service';
import { makePrivate } from '../../support/shared/stored-link';
import { aV0Link, getPath, postForm, visitThrice } from '../../support/legacy-requests';

const PASSWORD = 'Geheim1@x';

describe('/stats', () => {
  let service: Service;
  let database: Connection;
  let stop: () => Promise<void>;

  beforeAll(async () => ({ service, database, stop } = await startWithDatabase()));
  afterAll(() => stop());

  describe('GET /stats/{code}', () => {
    it('shows totals, the time chart, bar lists and files', async () => {
      const code = await aV0Link(service);
      await visitThrice(service, database, code);
      const path = `/stats/${code}?audience=all`;
      const { status, text, headers } = await getPath(service, path, { accept: null });
      expect(status).toBe(200);
      expect(headers['content-type']).toBe('text/html; charset=utf-8');
      expect(headers['cache-control']).toBe('no-store');
      expect(text).toMatch(/<svg\s+class="plot"[^>]*role="img"/);
      for (const part of ['news.example.com', 'Chrome', 'Windows', 'Google']) {
        expect(text).toContain(part);
      }
      for (const format of ['csv', 'xlsx', 'json', 'xml']) {
        expect(text).toContain(`/stats/${code}/download?audience=all&amp;format=${format}"`);
      }
      expect(text).not.toMatch(/\sstyle=|<script/);
    });

    it('returns 404 for unknown and private links, and 400 with a form without the password', async () => {
      const hidden = await aV0Link(service);
      await makePrivate(database, hidden);
      const locked = await aV0Link(service, { password: PASSWORD });
      for (const code of ['nobody', hidden]) {
        const page = await getPath(service, `/stats/${code}`);
        expect(page.status).toBe(404);
        expect(page.headers['content-type']).toContain('text/html');
        expect(page.headers['x-error-code']).toBe('not_found');
        expect(page.text).toContain('its statistics are private');
        expect(page.text).not.toContain('Report');
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

    it('finds links with emoji codes', async () => {
      await postForm(service, '/emoji', { url: 'https://example.com/', emojies: '🦔🦉' });
      const page = await getPath(service, `/stats/${encodeURIComponent('🦔🦉')}`);
      expect(page.status).toBe(200);
      expect(page.text).toContain(`href="/stats/${encodeURIComponent('🦔🦉')}?range=7d"`);
    });
  });

  describe('/stats', () => {
    it('has a form that opens the statistics for a code or a short URL', async () => {
      const form = await getPath(service, '/stats');
      expect(form.status).toBe(200);
      expect(form.text).toContain('name="short_code"');
      for (const short_code of ['abc', `http://localhost:${service.port}/abc`, 'x.test/abc/']) {
        const answer = await postForm(service, '/stats', { short_code }, { accept: 'text/html' });
        expect(answer.status).toBe(302);
        expect(answer.headers.location).toBe('/stats/abc');
      }
      const emoji = await postForm(service, '/stats', { short_code: '🦔🦉' });
      expect(emoji.headers.location).toBe(`/stats/${encodeURIComponent('🦔🦉')}`);
    });

    it('returns 400 if the code is missing', async () => {
      for (const fields of [{}, { short_code: '' }, { short_code: '/' }]) {
        const page = await postForm(service, '/stats', fields, { accept: 'text/html' });
        expect(page.status).toBe(400);
        expect(page.text).toContain('name="short_code"');
        expect(page.headers['x-error-code']).toBe('validation_error');
      }
      expect((await postForm(service, '/stats')).body.field).toBe('short_code');
    });
  });

  it('allows 20 requests a minute on /stats/{code}, GET and POST together, apart from /stats', async () => {
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

  it('returns 404 for paths below a code, without reading the link', async () => {
    expect((await getPath(service, '/stats/abc/def')).status).toBe(404);
  });
});

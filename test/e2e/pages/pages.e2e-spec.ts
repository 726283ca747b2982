import request from 'supertest';
import { aLink } from '../../support/factories/links';
import { anAddress, visit } from '../../support/http';
import { clicksCounted, databaseOf } from '../../support/database';
import { eventually, startService, type Service } from '../../support/service';
import { aV0Link, getPath } from '../../support/legacy-requests';

const PASSWORD = 'Geheim1@x';

describe('pages', () => {
  let service: Service;

  beforeAll(async () => {
    service = await startService({ own: true });
  });
  afterAll(() => service.stop());

  it('have the shortening form at GET /, without a limit, with the policy of pages', async () => {
    const { status, text, headers } = await getPath(service, '/', { accept: null });
    expect(status).toBe(200);
    expect(headers['content-type']).toBe('text/html; charset=utf-8');
    expect(headers['content-security-policy']).toContain("default-src 'self'");
    expect(headers['x-ratelimit-limit']).toBeUndefined();
    expect(text).toMatch(/<form method="post" action="\/"/);
    for (const name of ['url', 'alias', 'password', 'expires-in', 'max-clicks', 'block-bots']) {
      expect(text).toContain(`name="${name}"`);
    }
    // The page's canonical address is absolute.
    const own = text.replaceAll(`http://localhost:${service.port}/`, '/');
    expect(own).not.toMatch(/\sstyle=|<script(?! src="\/static\/)|https?:\/\/(?!example\.com)/);
  });

  it('use few files, which browsers cache and revalidate by ETag', async () => {
    for (const [path, type] of [
      ['/static/curtail.css', 'text/css; charset=utf-8'],
      ['/static/copy.js', 'text/javascript; charset=utf-8'],
      ['/static/alias-check.js', 'text/javascript; charset=utf-8'],
      ['/static/favicon.svg', 'image/svg+xml; charset=utf-8'],
      ['/favicon.ico', 'image/x-icon'],
      ['/robots.txt', 'text/plain; charset=utf-8'],
    ] as const) {
      const { status, headers } = await getPath(service, path);
      expect(status).toBe(200);
      expect(headers['content-type']).toBe(type);
      expect(headers['cache-control']).toBe('public, max-age=3600');
      const again = await getPath(service, path, {
        headers: { 'If-None-Match': String(headers.etag) },
      });
      expect(again.status).toBe(304);
    }
    expect((await getPath(service, '/static/other.css')).status).toBe(404);
  });

  describe('GET /result/{code}', () => {
    it('shows the short URL, but neither the destination nor the password', async () => {
      const code = await aV0Link(service, { url: 'https://secret.example/', password: PASSWORD });
      const { status, text } = await getPath(service, `/result/${code}`);
      expect(status).toBe(200);
      expect(text).toContain(`http://localhost:${service.port}/${code}`);
      expect(text).not.toContain('secret.example');
    });

    it('returns 404 for an unknown and for a closed link, as a page or JSON', async () => {
      const closed = await aV0Link(service, { 'max-clicks': '1' });
      await visit(service, closed);
      for (const code of ['nobody', closed]) {
        const page = await getPath(service, `/result/${code}`);
        expect(page.status).toBe(404);
        expect(page.headers['content-type']).toContain('text/html');
        const json = await getPath(service, `/result/${code}`, { accept: 'application/json' });
        expect(json.status).toBe(404);
        expect(json.body).toEqual({ error: expect.any(String), code: 'not_found' });
      }
    });
  });

  describe('GET /metric', () => {
    it('returns the numbers of links and clicks, exact and abbreviated', async () => {
      const database = await databaseOf(service);
      const { alias } = await aLink(service);
      await visit(service, alias);
      await clicksCounted(database, alias, 1);
      const links = await database.collection('links').countDocuments();
      const sums = await database
        .collection('links')
        .aggregate<{ clicks: number }>([
          { $group: { _id: null, clicks: { $sum: '$total_clicks' } } },
        ])
        .toArray();
      await database.close();
      let body: Record<string, unknown> = {};
      await eventually('the figures are fresh', async () => {
        const answer = await getPath(service, '/metric');
        expect(answer.status).toBe(200);
        expect(answer.headers['access-control-allow-origin']).toBe('*');
        body = answer.body as Record<string, unknown>;
        return body['total-shortlinks-raw'] === links;
      });
      expect(body).toEqual({
        'total-shortlinks-raw': links,
        'total-clicks-raw': sums[0]!.clicks,
        'total-shortlinks': `${links}+`,
        'total-clicks': `${sums[0]!.clicks}+`,
      });
    });
  });

  it.each([
    '/static',
    '/static/a/b',
    '/result',
    '/result/a/b',
    '/metric/x',
    '/login/x',
    '/stats/a/b',
  ])('return 404 for the unknown path %s below a fixed one', async (path) => {
    const answer = await getPath(service, path);
    expect(answer.status).toBe(404);
    expect(answer.headers['x-error-code']).toBe('not_found');
  });

  it('return 405 with Allow for other methods', async () => {
    for (const [method, path, allow] of [
      ['delete', '/', 'GET, HEAD, POST'],
      ['put', '/emoji', 'GET, HEAD, POST'],
      ['delete', '/stats/abc', 'GET, HEAD, POST'],
      ['post', '/metric', 'GET, HEAD'],
      ['post', '/result/abc', 'GET, HEAD'],
    ] as const) {
      const answer = await request(service.url)[method](path).set('X-Forwarded-For', anAddress());
      expect(answer.status).toBe(405);
      expect(answer.headers.allow).toBe(allow);
      expect(answer.headers['x-error-code']).toBe('method_not_allowed');
    }
  });
});

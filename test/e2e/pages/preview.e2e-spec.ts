import { aLink } from '../../support/factories/links';
import { anAddress, visit } from '../../support/http';
import { databaseOf, totalClicks } from '../../support/database';
import { eventually, startService, type Service } from '../../support/service';
import { aV0Link, getPath, postForm } from '../../support/legacy-requests';

const PASSWORD = 'Geheim1@x';

describe('preview', () => {
  let service: Service;

  beforeAll(async () => {
    service = await startService();
  });
  afterAll(() => service.stop());

  describe('GET /{code}+', () => {
    it('shows the host and the full URL without redirecting or counting', async () => {
      const database = await databaseOf(service);
      const link = await aLink(service, {
        long_url: 'https://Example.com:8443/a?b=1&c=2',
        max_clicks: 5,
      });
      for (let i = 0; i < 3; i++) {
        const { status, text, headers } = await getPath(service, `/${link.alias}+`);
        expect(status).toBe(200);
        expect(headers['content-type']).toContain('text/html');
        expect(headers['x-ratelimit-limit']).toBe('30');
        expect(text).toContain('example.com:8443');
        expect(text).toContain('https://Example.com:8443/a?b=1&amp;c=2');
      }
      await visit(service, link.alias);
      await eventually('the visit counts', async () => (await totalClicks(database, link.id)) > 0);
      expect(await totalClicks(database, link.id)).toBe(1);
      await database.close();
    });

    it('hides the destination of a link with a password', async () => {
      const { alias } = await aLink(service, {
        long_url: 'https://secret.example/',
        password: PASSWORD,
      });
      const headers = { 'X-Link-Password': PASSWORD };
      for (const sending of [{}, { headers }, { query: { password: PASSWORD } }]) {
        const { status, text } = await getPath(service, `/${alias}+`, sending);
        expect(status).toBe(200);
        expect(text).not.toContain('secret.example');
      }
    });

    it('returns 404 for unknown and 410 for closed links, as a page or JSON', async () => {
      const closed = await aV0Link(service, { 'max-clicks': '1' });
      await visit(service, closed);
      for (const [code, status, error] of [
        ['nobody', 404, 'not_found'],
        ['stats', 404, 'not_found'],
        ['%E0%A4%A', 400, 'validation_error'],
        [closed, 410, 'gone'],
      ] as const) {
        const page = await getPath(service, `/${code}+`);
        expect(page.status).toBe(status);
        expect(page.headers['content-type']).toContain('text/html');
        expect(page.headers['x-error-code']).toBe(error);
        const json = await getPath(service, `/${code}+`, { accept: 'application/json' });
        expect(json.body.code).toBe(error);
      }
    });

    it('supports emoji codes', async () => {
      await postForm(service, '/emoji', { url: 'https://example.com/', emojies: '🐝' });
      expect((await getPath(service, `/${encodeURIComponent('🐝')}+`)).status).toBe(200);
    });

    it('allows 30 requests a minute per address', async () => {
      const address = anAddress();
      for (let i = 0; i < 30; i++) await getPath(service, '/nobody+', { address });
      const answer = await getPath(service, '/nobody+', { address });
      expect(answer.status).toBe(429);
      expect(answer.headers['x-svc-hint']).toBeUndefined();
    });
  });
});

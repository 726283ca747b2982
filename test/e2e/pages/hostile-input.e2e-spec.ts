import { aLink } from '../../support/factories/links';
import { visit } from '../../support/http';
import {
  BACKWARDS,
  expectClean,
  LINES,
  PLANTED,
  QUOTES,
  SCRIPT,
} from '../../support/hostile-texts';
import { startService, type Service } from '../../support/service';
import { aV0Link, getPath, postForm } from '../../support/legacy-requests';

describe('untrusted input', () => {
  let service: Service;

  beforeAll(async () => {
    service = await startService();
  });
  afterAll(async () => {
    await service.stop();
  });

  describe('in a form is returned escaped', () => {
    it.each([
      ['url', SCRIPT],
      ['url', QUOTES],
      ['url', `https://example.com/${LINES}`],
      ['alias', SCRIPT],
      ['alias', QUOTES],
      ['alias', BACKWARDS],
      ['alias', LINES],
      ['max-clicks', QUOTES],
      ['password', `${QUOTES}1@`],
    ])('%s = %j', async (field, text) => {
      const fields = { url: 'https://example.com/', [field]: text };
      const page = await postForm(service, '/', fields, { accept: 'text/html' });
      expect([400, 302]).toContain(page.status);
      if (page.status === 400) {
        expect(page.text.replace(/\u202e/g, '')).not.toMatch(PLANTED);
        expect(page.text).not.toContain('"\'><');
      }
      const cookies = (page.get('Set-Cookie') ?? []).join();
      expect(cookies).toMatch(/^(?:claims=[0-9a-f]{24}\.[\w-]{43};[^,]*,[^,]*)?$/);
      const json = await postForm(service, '/', fields);
      expect(json.headers['content-type']).toContain('application/json');
      expect(JSON.parse(json.text)).toEqual(json.body);
    });

    it('in the form of /stats, which submits to this site only', async () => {
      for (const short_code of [
        SCRIPT,
        QUOTES,
        LINES,
        BACKWARDS,
        '//evil.example\\x',
        '..',
        '\\',
      ]) {
        const answer = await postForm(service, '/stats', { short_code }, { accept: 'text/html' });
        expect([302, 400]).toContain(answer.status);
        if (answer.status === 302) expect(answer.headers.location).toMatch(/^\/stats\/[!-~]*$/);
        expect(answer.headers['set-cookie']).toBeUndefined();
      }
    });
  });

  it('in a path is not repeated on the page', async () => {
    for (const text of [SCRIPT, QUOTES, BACKWARDS, LINES, '{{7*7}}', '%00']) {
      const code = encodeURIComponent(text);
      for (const path of [
        `/${code}`,
        `/${code}+`,
        `/result/${code}`,
        `/stats/${code}`,
        `/export/${code}/csv`,
        `/export/nobody/${code}`,
        `/stats/${code}/${code}`,
      ]) {
        const answer = await getPath(service, path);
        expect([400, 404]).toContain(answer.status);
        expectClean(answer);
      }
    }
  });

  it('in a header or query is not repeated', async () => {
    const headers = { 'X-Request-ID': SCRIPT, Referer: QUOTES, 'User-Agent': SCRIPT };
    for (const path of ['/', '/stats', '/nobody', '/nobody+']) {
      const answer = await getPath(service, path, {
        headers,
        query: { url: SCRIPT, alias: QUOTES, password: SCRIPT, next: '//evil.example' },
      });
      expectClean(answer);
      expect(answer.headers['x-request-id']).toMatch(/^req_[0-9a-f]{12}$/);
    }
  });

  it('as a destination is shown escaped, with direction marks made visible', async () => {
    const long_url = `https://example.com/?a=<script>alert(1)</script>&b="'>${BACKWARDS}`;
    const { alias } = await aLink(service, { long_url });
    for (const path of [`/${alias}+`, `/stats/${alias}`]) {
      const page = await getPath(service, path);
      expect(page.status).toBe(200);
      expectClean(page);
      expect(page.text).toContain(
        '&lt;script&gt;alert(1)&lt;/script&gt;&amp;b=&quot;&#39;&gt;%E2%80%AE',
      );
    }
    const stats = await postForm(service, `/stats/${alias}`);
    expect(stats.body.url).toBe(long_url);
    const redirect = await visit(service, alias);
    expect(redirect.headers.location).toMatch(/^[!-~]+$/);
  });

  it('with a javascript: or data: destination is rejected', async () => {
    for (const url of [
      'javascript:alert(1)',
      'data:text/html,<script>',
      ' https://x.test',
      '\thttps://x',
    ]) {
      expect((await postForm(service, '/', { url })).body).toHaveProperty('UrlError');
    }
  });

  it('in a password is never returned', async () => {
    const password = `<b>Secret1@"'`;
    const code = await aV0Link(service, { password });
    const wrong = await getPath(service, `/stats/${code}`, { query: { password: `${password}!` } });
    expect(wrong.status).toBe(400);
    expectClean(wrong);
    expect(wrong.text).not.toContain('Secret1');
    const right = await postForm(service, `/stats/${code}`, { password }, { accept: 'text/html' });
    expect(right.status).toBe(200);
    expect(right.text).not.toContain('Secret1');
    expect(service.log()).not.toContain('Secret1');
  });

  it('cannot make two links look equal with invisible characters in a code', async () => {
    const code = await aV0Link(service);
    for (const mark of ['\u200b', '\u202e', '\u00ad', '\ufe0e', '\u2060']) {
      const path = `/${encodeURIComponent(`${code}${mark}`)}`;
      expect((await getPath(service, path)).status).toBe(404);
      expect((await getPath(service, `/stats${path}`)).status).toBe(404);
    }
  });
});

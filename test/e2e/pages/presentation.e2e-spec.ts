import { getPage, sendForm } from '../../support/account-pages';
import { anEmail, STRONG_PASSWORD } from '../../support/factories/accounts';
import { visit } from '../../support/http';
import { aV0Link, getPath, postForm } from '../../support/legacy-requests';
import { startService, type Service } from '../../support/service';

const BASE_URL = 'https://go.test';
const NAME = `Acme & <b>"Sons"</b>`;
const ESCAPED = 'Acme &amp; &lt;b&gt;&quot;Sons&quot;&lt;/b&gt;';

describe('the public pages of a service', () => {
  let service: Service;
  let closed: string;

  beforeAll(async () => {
    service = await startService({
      env: {
        BASE_URL,
        SITE_NAME: NAME,
        IMPRINT_URL: 'https://acme.test/imprint?a=1&b=2',
        TERMS_URL: 'https://acme.test/terms',
        PRIVACY_URL: 'https://acme.test/privacy',
        ABUSE_CONTACT: 'abuse@acme.test',
      },
    });
    await aV0Link(service, { alias: 'some-link' });
    closed = await aV0Link(service, { 'max-clicks': '1' });
    await visit(service, closed);
  });
  afterAll(() => service.stop());

  const PATHS = ['/', '/stats', '/some-link+', '/result/some-link', '/login', '/nobody'];

  it('allow search engines to index only the home page', async () => {
    const home = await getPath(service, '/');
    expect(home.text).not.toContain('noindex');
    expect(home.headers['x-robots-tag']).toBeUndefined();
    for (const path of [...PATHS.slice(1), '/docs', `/${closed}`]) {
      expect([path, (await getPath(service, path)).text]).toEqual([
        path,
        expect.stringContaining('<meta name="robots" content="noindex" />'),
      ]);
    }
    const refused = await postForm(service, '/', {}, { accept: 'text/html' });
    expect(refused.text).toContain('content="noindex"');
    expect(refused.text).not.toContain('og:');
  });

  it('describe the home page for search engines and messengers, with absolute URLs', async () => {
    const { text } = await getPath(service, '/?utm_source=x');
    expect(text).toContain(`<link rel="canonical" href="${BASE_URL}/" />`);
    expect(text).toContain(`<meta property="og:title" content="${ESCAPED}" />`);
    expect(text).toContain(`<meta property="og:image" content="${BASE_URL}/static/preview.png" />`);
    expect(text).toContain('<meta name="twitter:card" content="summary_large_image" />');
    expect(text).toMatch(/<meta name="description" content="Acme &amp; [^"]{20,}"/);
  });

  it('link to the imprint, terms, privacy policy and report form on every page', async () => {
    for (const path of [...PATHS, '/docs', `/${closed}`]) {
      const [, footer = ''] =
        /<footer class="site">([^]*)<\/footer>/.exec((await getPath(service, path)).text) ?? [];
      const links = [...footer.matchAll(/<a href="([^"]*)">([^<]*)</g)].map(([, ...link]) => link);
      expect([path, links]).toEqual([
        path,
        [
          ['https://acme.test/imprint?a=1&amp;b=2', 'Imprint'],
          ['https://acme.test/terms', 'Terms'],
          ['https://acme.test/privacy', 'Privacy'],
          ['mailto:abuse@acme.test', 'Report abuse'],
        ],
      ]);
    }
  });

  it('link from a page about a link to its statistics', async () => {
    for (const path of ['/result/some-link', '/some-link+']) {
      const [, menu = ''] =
        /<nav aria-label="Main">([^]*?)<\/nav>/.exec((await getPath(service, path)).text) ?? [];
      expect(menu).toMatch(/href="\/stats\/some-link"\s*>Statistics</);
    }
  });

  it('explain on the result page how to keep an anonymous link', async () => {
    const { text } = await getPath(service, '/result/some-link');
    expect(text).toMatch(/has no owner[^]*<a href="\/register">Sign up<\/a> to manage/);
  });

  it('explain errors to people, and leave technical details to programs', async () => {
    const gone = await getPath(service, `/${closed}`);
    expect([gone.status, gone.text]).toEqual([410, expect.stringContaining('has expired')]);
    const unknown = await getPath(service, '/nobody');
    expect(unknown.text).toContain('Upper and lower case differ');
    const other = await postForm(service, '/result/some-link', {}, { accept: 'text/html' });
    expect(other.status).toBe(405);
    expect(other.text).toContain('does not support this request');
    expect(other.text).not.toContain('Use GET');
    const json = await getPath(service, '/nobody', { accept: 'application/json' });
    expect(json.body).toEqual({ error: 'There is no link with this address', code: 'not_found' });
  });
});

describe('a closed installation', () => {
  let service: Service;
  beforeAll(async () => {
    service = await startService({
      env: { ANONYMOUS_LINKS: 'false', REGISTRATION: 'closed', SITE_NAME: 'Acme' },
    });
  });
  afterAll(() => service.stop());

  it('has a home page for visitors of its links and for link owners', async () => {
    const { text } = await getPath(service, '/');
    expect(text).toContain('Short links of Acme');
    expect(text).toContain('href="/login"');
    expect(text).toContain('Add + to the end of a short link');
    expect(text).not.toMatch(/href="\/register"|API key|noindex/);
  });

  it('has no links in the footer if none are configured', async () => {
    for (const path of ['/', '/nobody']) {
      const { text } = await getPath(service, path);
      expect(text).not.toMatch(/Imprint|Terms|Privacy|Report abuse/);
    }
  });

  it('says that registration is closed, and does not link to another site', async () => {
    const page = await getPage(service, '/register');
    expect(page.status).toBe(200);
    expect(page.text).toContain('Sign-up is closed');
    expect(page.text).not.toContain('<form');
    expect((await getPage(service, '/login')).text).not.toContain('href="/register"');
    const body = { email: anEmail(), password: STRONG_PASSWORD };
    const refused = await sendForm(service, '/register', body);
    expect([refused.status, refused.headers['x-error-code']]).toEqual([403, 'forbidden']);
    expect(refused.text).toContain('Sign-up is closed');
  });
});

import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import request from 'supertest';
import { aKey, anAccount, aVerifiedAccount } from '../../support/factories/accounts';
import { databaseOf } from '../../support/database';
import { cookieValue } from '../../support/http';
import { type Service, startService } from '../../support/service';

const FOLDER = join(__dirname, '..', '..', '..', 'dist', 'web');
const FILES = readdirSync(FOLDER).filter((name) => /\.(?:js|css|svg)$/.test(name));
const KB = 1024;

const POLICY =
  "default-src 'self'; script-src 'self'; style-src 'self'; img-src 'self' blob:; connect-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'; object-src 'none'; require-trusted-types-for 'script'; trusted-types 'none'";

describe('the page that loads the app', () => {
  let service: Service;
  beforeAll(async () => (service = await startService({ env: { SITE_NAME: 'Links & <Co>' } })));
  afterAll(() => service.stop());

  const get = (path: string, cookies = '') =>
    request(service.url).get(path).redirects(0).set('Cookie', cookies);

  const embedded = (text: string): { account: unknown; features: Record<string, unknown> } =>
    JSON.parse(/id="first-answer">([^<]*)</.exec(text)?.[1] ?? 'null');

  it.each(['/dashboard', '/dashboard/', '/dashboard/links/abc', '/dashboard/no/such/screen'])(
    'is returned at %s for a session, never stored, and has a strict policy',
    async (path) => {
      const account = await aVerifiedAccount(service);
      const { status, headers, text } = await get(path, account.cookies);
      expect(status).toBe(200);
      expect(headers['cache-control']).toBe('no-store');
      expect(headers['content-security-policy']).toBe(POLICY);
      expect(headers['content-type']).toBe('text/html; charset=utf-8');
      expect(text).not.toMatch(/<script(?! type="(?:module" src|application\/json"))/);
      expect(embedded(text)).toEqual({
        account: expect.objectContaining({ id: account.userId, email: account.email }),
        claimable: 0,
        features: {
          site_name: 'Links & <Co>',
          home_url: '/',
          base_url: `http://localhost:${service.port}`,
          version: expect.any(String),
          password_sign_in: true,
          providers: [],
        },
      });
      expect(text).toContain('<title>Links &amp; &lt;Co&gt;</title>');
    },
  );

  it('explains which pages work without JavaScript, and links to them', async () => {
    const { cookies } = await aVerifiedAccount(service);
    const { text } = await get('/dashboard', cookies);
    const noscript = /<noscript>(.*)<\/noscript>/s.exec(text)?.[1] ?? '';
    for (const path of ['/', '/login', '/register', '/docs']) {
      expect(noscript).toContain(`href="${path}"`);
    }
  });

  it('redirects visitors with neither cookie to the sign-in page, with the return path', async () => {
    const { status, headers } = await get('/dashboard/links?search=a%20b&page=2');
    expect([status, headers['location']]).toEqual([
      303,
      '/login?next=%2Fdashboard%2Flinks%3Fsearch%3Da%2520b%26page%3D2',
    ]);
    expect(headers['cache-control']).toBe('no-store');
    expect((await get('/dashboard', 'access_token=nonsense')).status).toBe(303);
  });

  it('accepts a visitor with only the refresh cookie; the app checks whether it is valid', async () => {
    const { cookies, email } = await aVerifiedAccount(service);
    const refresh = `refresh_token=${cookieValue(cookies, 'refresh_token')}`;
    for (const cookie of [refresh, `access_token=nonsense; ${refresh}`]) {
      const { status, text } = await get('/dashboard', cookie);
      expect([status, embedded(text).account]).toEqual([200, expect.objectContaining({ email })]);
    }
    const { status, text } = await get('/dashboard', 'refresh_token=nonsense');
    expect([status, embedded(text).account]).toEqual([200, null]);
  });

  it('is available for sessions, but not for keys or deleted accounts', async () => {
    const account = await aVerifiedAccount(service);
    const key = await aKey(service, account, ['admin:all']);
    const { status } = await get('/dashboard').set('Authorization', `Bearer ${key}`);
    expect(status).toBe(303);
    const gone = await anAccount(service);
    const database = await databaseOf(service);
    await database.collection('accounts').deleteMany({ email: gone.email });
    await database.collection('users').deleteMany({ email: gone.email });
    await database.close();
    const access = `access_token=${cookieValue(gone.cookies, 'access_token')}`;
    expect((await get('/dashboard', access)).status).toBe(303);
  });

  it('contains hostile names as data that cannot close an element', async () => {
    const { cookies, accessToken } = await aVerifiedAccount(service);
    const name = '</script><script>alert(1)</script><!--';
    const changed = await request(service.url)
      .patch('/auth/me')
      .set('Authorization', `Bearer ${accessToken}`)
      .send({ user_name: name });
    expect(changed.status).toBe(200);
    const { text } = await get('/dashboard', cookies);
    expect(text.match(/<script/g)).toHaveLength(2);
    expect(text).not.toContain('<!--');
    expect(embedded(text).account).toMatchObject({ user_name: name });
  });

  it('reads the chosen appearance from its cookie, and nothing else', async () => {
    const { cookies } = await aVerifiedAccount(service);
    expect((await get('/dashboard', `${cookies}; theme=dark`)).text).toContain(
      '<html lang="en" data-theme="dark">',
    );
    const other = await get('/dashboard', `${cookies}; theme="><script>`);
    expect(other.text).not.toContain('data-theme');
  });

  describe("the app's files", () => {
    it.each(FILES)(
      '%s is cached permanently and sent in an encoding that the client accepts',
      async (name) => {
        const plain = readFileSync(join(FOLDER, name));
        const path = `/static/app/${name}`;
        const asked = (coding: string) =>
          get(path)
            .set('Accept-Encoding', coding)
            .responseType('blob')
            .buffer(true)
            .parse((answer, done) => {
              const chunks: Buffer[] = [];
              answer.on('data', (chunk: Buffer) => chunks.push(chunk));
              answer.on('end', () => done(null, Buffer.concat(chunks)));
            });
        const answer = await asked('identity');
        expect(answer.headers).toMatchObject({
          'cache-control': 'public, max-age=31536000, immutable',
          'content-type': name.endsWith('.js')
            ? 'text/javascript; charset=utf-8'
            : 'text/css; charset=utf-8',
          vary: 'Accept-Encoding',
          'x-content-type-options': 'nosniff',
        });
        expect(answer.headers['content-encoding']).toBeUndefined();
        expect(answer.body).toEqual(plain);
        expect((await asked('gzip, deflate, br')).headers['content-encoding']).toBe('br');
        expect((await asked('gzip')).headers['content-encoding']).toBe('gzip');
        expect(brotliDecompressSync(readFileSync(join(FOLDER, `${name}.br`)))).toEqual(plain);
        expect(gunzipSync(readFileSync(join(FOLDER, `${name}.gz`)))).toEqual(plain);
      },
    );

    it.each([
      'main-00000000.js',
      'manifest.json',
      '.built-from',
      '..%2f..%2fmain.js',
      `${FILES[0] ?? ''}.br`,
    ])('%s is not one of them', async (name) => {
      expect((await get(`/static/app/${name}`)).status).toBe(404);
    });

    it('are small', () => {
      const weight = (names: readonly string[]): number =>
        names.reduce((sum, name) => sum + readFileSync(join(FOLDER, `${name}.gz`)).length, 0);
      const manifest = JSON.parse(readFileSync(join(FOLDER, 'manifest.json'), 'utf8')) as Record<
        string,
        { file: string; isEntry?: boolean; imports?: string[] }
      >;
      const entry = Object.values(manifest).find(({ isEntry }) => isEntry);
      const first = [entry?.file ?? '', ...(entry?.imports ?? []).map((id) => manifest[id]!.file)];
      expect(weight(first)).toBeLessThanOrEqual(45 * KB);
      expect(weight(FILES.filter((name) => name.endsWith('.js')))).toBeLessThanOrEqual(120 * KB);
      expect(weight(FILES.filter((name) => name.endsWith('.css')))).toBeLessThanOrEqual(14 * KB);
    });
  });
});

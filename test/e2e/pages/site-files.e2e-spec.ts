import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import request from 'supertest';
import { anAddress, inBytes, shorten } from '../../support/http';
import { getPath, postForm } from '../../support/legacy-requests';
import { startService, type Service } from '../../support/service';

const APPLE = '{ "applinks": { "details": [] } }\n';
const ANDROID = '[]';

describe('the files that programs request from every site', () => {
  let service: Service;

  beforeAll(async () => {
    const folder = mkdtempSync(join(tmpdir(), 'app-links-'));
    const env = { SECURITY_CONTACT: 'security@example.org' };
    const files = { APP_LINKS_APPLE_FILE: APPLE, APP_LINKS_ANDROID_FILE: ANDROID };
    for (const [name, content] of Object.entries(files)) {
      writeFileSync(join(folder, name), content);
      Object.assign(env, { [name]: join(folder, name) });
    }
    service = await startService({ env });
  });
  afterAll(() => service.stop());

  it('robots.txt excludes crawlers from paths that create or count, but not from short links', async () => {
    const { text } = await getPath(service, '/robots.txt');
    const rules = text.split('\n').filter((line) => line.startsWith('Disallow: '));
    expect(text).toContain('User-agent: *');
    for (const path of [
      '/api/',
      '/auth/',
      '/emoji',
      '/stats/',
      '/result/',
      '/export/',
      '/report?',
    ]) {
      expect(rules).toContain(`Disallow: ${path}`);
    }
    expect(rules).not.toContain('Disallow: /');
  });

  it('favicon.ico is an icon of three sizes', async () => {
    const { status, body } = await inBytes(getPath(service, '/favicon.ico', { accept: null }));
    const icon = body as Buffer;
    expect(status).toBe(200);
    expect([icon.readUInt16LE(0), icon.readUInt16LE(2), icon.readUInt16LE(4)]).toEqual([0, 1, 3]);
    expect([6, 22, 38].map((at) => icon.readUInt8(at))).toEqual([16, 32, 48]);
  });

  it('the images for previews and home screens are small PNG files of the declared size', async () => {
    for (const [name, width, height] of [
      ['preview', 1200, 630],
      ['touch-icon', 180, 180],
      ['icon-192', 192, 192],
      ['icon-512', 512, 512],
      ['icon-maskable', 512, 512],
    ] as const) {
      const { headers, body } = await inBytes(getPath(service, `/static/${name}.png`));
      const picture = body as Buffer;
      expect(headers['content-type']).toBe('image/png');
      expect(picture.subarray(1, 4).toString()).toBe('PNG');
      expect([picture.readUInt32BE(16), picture.readUInt32BE(20)]).toEqual([width, height]);
      expect(picture.length).toBeLessThan(60_000);
    }
  });

  it("the manifest contains the app's name, icons and share target", async () => {
    const { status, headers, text } = await getPath(service, '/manifest.webmanifest');
    expect(status).toBe(200);
    expect(headers).toMatchObject({
      'content-type': expect.stringMatching(/^application\/manifest\+json/),
      'cache-control': 'public, max-age=3600',
      etag: expect.any(String),
    });
    const { icons, ...manifest } = JSON.parse(text) as { icons: Record<string, string>[] };
    expect(manifest).toEqual({
      name: 'Curtail',
      start_url: '/dashboard',
      display: 'standalone',
      share_target: {
        action: '/dashboard/links?new=1',
        method: 'GET',
        enctype: 'application/x-www-form-urlencoded',
        params: { url: 'url', title: 'title', text: 'text' },
      },
    });
    expect(icons.map(({ sizes, purpose }) => `${sizes} ${purpose}`)).toEqual([
      '192x192 any',
      '512x512 any',
      '512x512 maskable',
    ]);
    for (const { src = '' } of icons) expect((await getPath(service, src)).status).toBe(200);
  });

  it('security.txt contains the contact, and expires within a year (RFC 9116)', async () => {
    const { status, text, headers } = await getPath(service, '/.well-known/security.txt');
    expect(status).toBe(200);
    expect(headers['content-type']).toBe('text/plain; charset=utf-8');
    expect(headers['cache-control']).toBe('public, max-age=3600');
    expect(text).toContain('Contact: mailto:security@example.org\n');
    expect(text).toContain(
      `Canonical: http://localhost:${service.port}/.well-known/security.txt\n`,
    );
    const expires = Date.parse(/^Expires: (\S+)$/m.exec(text)?.[1] ?? '');
    const days = (expires - Date.now()) / 86_400_000;
    expect(days).toBeGreaterThan(30);
    expect(days).toBeLessThan(365);
  });

  it.each([
    ['apple-app-site-association', APPLE],
    ['assetlinks.json', ANDROID],
  ])("%s is the operator's file, unchanged", async (name, content) => {
    const { status, text, headers } = await getPath(service, `/.well-known/${name}`);
    expect([status, text]).toEqual([200, content]);
    expect(headers).toMatchObject({
      'content-type': expect.stringMatching(/^application\/json/),
      'cache-control': 'public, max-age=3600',
      etag: expect.any(String),
    });
    const again = { 'If-None-Match': headers['etag'] as string };
    const known = await request(service.url).get(`/.well-known/${name}`).set(again);
    expect(known.status).toBe(304);
  });

  it('change-password redirects to the password page, and similar paths do not exist', async () => {
    const { status, headers } = await getPath(service, '/.well-known/change-password');
    expect([status, headers.location]).toEqual([303, '/dashboard/settings']);
    const probe = 'resource-that-should-not-exist-whose-status-code-should-not-be-200';
    expect((await getPath(service, `/.well-known/${probe}`)).status).toBe(404);
  });

  it('similar paths return 404, and other methods return 405', async () => {
    for (const path of ['/.well-known', '/.well-known/other', '/robots.txt/x', '/favicon.ico/x']) {
      expect((await getPath(service, path)).status).toBe(404);
    }
    for (const path of ['/robots.txt', '/favicon.ico', '/.well-known/security.txt']) {
      const answer = await request(service.url).post(path).set('X-Forwarded-For', anAddress());
      expect(answer.status).toBe(405);
      expect(answer.headers.allow).toBe('GET, HEAD');
    }
  });

  it('no alias can replace these files', async () => {
    for (const alias of ['robots.txt', 'favicon.ico', '.well-known']) {
      expect((await shorten(service, { long_url: 'https://example.com/', alias })).status).toBe(
        422,
      );
      const v0 = await postForm(service, '/', { url: 'https://example.com/', alias });
      expect(v0.body).toHaveProperty('AliasError');
    }
  });

  it('files without a setting do not exist', async () => {
    const other = await startService();
    try {
      for (const name of ['security.txt', 'apple-app-site-association', 'assetlinks.json']) {
        const answer = await getPath(other, `/.well-known/${name}`);
        expect(answer.status).toBe(404);
        expect(answer.headers['x-error-code']).toBe('not_found');
      }
    } finally {
      await other.stop();
    }
  });
});

import type { Connection } from 'mongoose';
import { startWithDatabase } from '../../support/database';
import { anAddress } from '../../support/http';
import { getPath, postForm } from '../../support/legacy-requests';
import type { Service } from '../../support/service';

const PEOPLE = { accept: 'text/html' };

describe('the shortening form', () => {
  let service: Service;
  let database: Connection;
  let stop: () => Promise<void>;

  beforeAll(async () => ({ service, database, stop } = await startWithDatabase()));
  afterAll(() => stop());

  const linkOf = (location: string | undefined) =>
    database.collection('links').findOne({
      alias: decodeURIComponent((location ?? '').replace('/result/', '')),
    });

  it('accepts an address without its scheme, and one between spaces', async () => {
    for (const path of ['/', '/emoji']) {
      for (const [typed, meant] of [
        ['example.com/foo?a=b', 'https://example.com/foo?a=b'],
        ['  http://example.com/foo\t', 'http://example.com/foo'],
      ] as const) {
        const answer = await postForm(service, path, { url: typed }, PEOPLE);
        expect([typed, answer.status]).toEqual([typed, 302]);
        expect((await linkOf(answer.headers.location))?.long_url).toBe(meant);
      }
    }
  });

  it('rejects an invalid address, and one that leads back to this service', async () => {
    for (const url of ['somewhere', 'me@example.com', 'javascript:alert.x', 'ftp.://x.y']) {
      const page = await postForm(service, '/', { url }, PEOPLE);
      expect([url, page.status]).toEqual([url, 400]);
    }
    const itself = await postForm(service, '/', { url: `127.0.0.1:${service.port}/x` }, PEOPLE);
    expect(itself.status).toBe(400);
  });

  it('does not complete addresses for programs', async () => {
    const { status, body } = await postForm(service, '/', { url: 'example.com/foo' });
    expect(status).toBe(400);
    expect(body).toHaveProperty('UrlError');
  });

  it('creates links that expire, for people and programs', async () => {
    const before = Date.now();
    for (const sending of [PEOPLE, {}]) {
      const fields = { url: 'https://example.com/', 'expires-in': '3600' };
      const answer = await postForm(service, '/', fields, sending);
      const { short_url } = answer.body as { short_url?: string };
      const made = await linkOf(answer.headers.location ?? short_url?.replace(/^.*\//, ''));
      const expiry = (made?.expire_after as Date).getTime();
      expect(expiry).toBeGreaterThanOrEqual(before + 3_600_000);
      expect(expiry).toBeLessThanOrEqual(Date.now() + 3_602_000);
      if (answer.status !== 302) continue;
      const result = await getPath(service, answer.headers.location ?? '');
      expect(result.text).toMatch(/The link closes on \d{4}-\d\d-\d\d \d\d:\d\d UTC/);
    }
  });

  it.each(['0', '-1', '1.5', 'soon', '315360001', '9999999999'])(
    'rejects the lifetime %s',
    async (seconds) => {
      const fields = { url: 'https://example.com/', 'expires-in': seconds };
      const json = await postForm(service, '/', fields);
      expect(json.status).toBe(400);
      expect(json.body).toEqual({ ExpiresInError: expect.any(String) });
      const page = await postForm(service, '/', fields, PEOPLE);
      expect(page.status).toBe(400);
      expect(page.text).toMatch(/<select[^>]*aria-invalid="true"/);
    },
  );

  it('shows the text before the alias', async () => {
    const { text } = await getPath(service, '/');
    expect(text).toContain(`>localhost:${service.port}/</span>`);
  });

  it('lists all problems together, each next to its field', async () => {
    const fields = { url: 'ftp://x.test', alias: '!', password: 'x', 'max-clicks': '0' };
    const wrong = { ...fields, 'expires-in': 'soon' };
    const { status, text } = await postForm(service, '/', wrong, PEOPLE);
    expect(status).toBe(400);
    const names = ['url', 'alias', 'password', 'expires-in', 'max-clicks'];
    expect([...text.matchAll(/id="([\w-]+)-problem" role="alert"/g)].map(([, id]) => id)).toEqual(
      names,
    );
    for (const name of names) {
      const described = `<(?:input|select)[^>]*id="${name}"[^>]*aria-describedby="[^"]*${name}-problem"`;
      expect(text).toMatch(new RegExp(described));
    }
    expect(text.match(/aria-invalid="true"/g)).toHaveLength(5);
    expect(text.match(/ autofocus/g)).toHaveLength(1);
    expect(text).toContain('The address must begin with http:// or https://');
    const json = await postForm(service, '/', wrong);
    expect(Object.keys(json.body as object)).toEqual(['UrlError']);
    const emoji = await postForm(service, '/emoji', wrong, PEOPLE);
    expect(emoji.text.match(/role="alert"/g)).toHaveLength(4);
  });

  it('rejects an alias that is too long, which is cut for programs', async () => {
    const fields = { url: 'https://example.com/', alias: 'black-friday-instagram-2026' };
    const page = await postForm(service, '/', fields, PEOPLE);
    expect(page.status).toBe(400);
    expect(page.text).toContain('The alias has 27 characters, but at most 16 are allowed');
    expect(page.text).toContain('value="black-friday-instagram-2026"');
    const json = await postForm(service, '/', fields);
    expect(json.body).toMatchObject({
      short_url: `http://localhost:${service.port}/black-friday-ins`,
    });
  });

  it('never lets browsers truncate pasted text', async () => {
    expect((await getPath(service, '/')).text).not.toMatch(/maxlength/);
  });

  it('keeps the input after an error, except the password', async () => {
    const page = await postForm(
      service,
      '/',
      {
        url: 'shop.example.com/spring',
        alias: 'stats',
        password: 'Geheim1@x',
        'max-clicks': '77',
        'expires-in': '604800',
        'block-bots': 'on',
      },
      PEOPLE,
    );
    expect(page.status).toBe(400);
    for (const kept of ['shop.example.com/spring', 'stats', '77']) {
      expect(page.text).toContain(`value="${kept}"`);
    }
    expect(page.text).toMatch(/value="604800" selected/);
    expect(page.text).toMatch(/value="on"\s+checked/);
    expect(page.text).not.toContain('Geheim1@x');
    expect(page.text).toContain('Enter the password again.');
  });

  it('also keeps the input after a 429, and says how long to wait', async () => {
    const address = anAddress();
    const fields = { url: 'shop.example.com/spring', alias: 'spring-sale', 'expires-in': '3600' };
    for (const path of ['/', '/emoji']) {
      for (let i = 0; i < 5; i++) await postForm(service, path, {}, { address });
      const page = await postForm(service, path, fields, { ...PEOPLE, address });
      expect(page.status).toBe(429);
      expect(page.text).toMatch(/Try again in \d+ seconds?\./);
      expect(page.text).toContain('value="shop.example.com/spring"');
      expect(page.text).toContain('value="spring-sale"');
      expect(page.text).not.toMatch(/For programs|api\/v1/);
      expect(page.text).toMatch(/value="3600" selected/);
      expect(page.headers['retry-after']).toMatch(/^\d+$/);
      expect(page.headers['x-error-code']).toBe('rate_limit_exceeded');
      const json = await postForm(service, path, fields, { address });
      expect(json.body).toMatchObject({ code: 'rate_limit_exceeded' });
    }
  });

  it('leads to a page that shows the link as a link and as text', async () => {
    const answer = await postForm(service, '/', { url: 'https://example.com/' }, PEOPLE);
    const { text } = await getPath(service, answer.headers.location ?? '');
    const code = (answer.headers.location ?? '').replace('/result/', '');
    const address = `http://localhost:${service.port}/${code}`;
    expect(text).toMatch(new RegExp(`<a id="short-url"[^>]*>${address}</a>`));
    expect(text).toMatch(new RegExp(`<input id="copy-field"[^>]*value="${address}"`));
    expect(text.match(/<script/g)).toHaveLength(1);
    expect(text).toContain('<script src="/static/copy.js" defer></script>');
  });
});

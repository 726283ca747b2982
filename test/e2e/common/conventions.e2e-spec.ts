import { connect } from 'node:net';
import request from 'supertest';
import { anAddress, shorten } from '../../support/http';
import { startService, type Service } from '../../support/service';

function raw(port: number, text: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1', () => socket.write(text));
    let answer = '';
    socket.on('data', (chunk) => (answer += chunk.toString('latin1')));
    socket.on('close', () => resolve(answer));
    socket.on('error', reject);
    socket.setTimeout(60_000, () => socket.destroy());
  });
}

const keys = (count: number): string =>
  Array.from({ length: count }, (_, i) => `"k${i.toString(36)}":0`).join();

describe('every response', () => {
  let service: Service;
  beforeAll(async () => {
    service = await startService({
      env: {
        CORS_ORIGINS: 'https://app.test, chrome-extension://abcdefgh',
        BASE_URL: 'https://go.test',
      },
    });
  });
  afterAll(() => service.stop());

  it.each(['/health', '/nobody', '/api/v1/nothing', '/openapi.json', '/docs', '/abc/def'])(
    'has the standard headers (%s)',
    async (path) => {
      const first = await request(service.url).get(path);
      const second = await request(service.url).get(path);
      for (const answer of [first, second]) {
        expect(answer.headers).toMatchObject({
          'x-request-id': expect.stringMatching(/^req_[0-9a-f]{12}$/),
          'x-content-type-options': 'nosniff',
          'x-frame-options': 'DENY',
          'referrer-policy': 'strict-origin-when-cross-origin',
          'permissions-policy': 'camera=(), microphone=(), geolocation=()',
          'strict-transport-security': 'max-age=31536000',
        });
        expect(answer.headers['x-powered-by']).toBeUndefined();
      }
      expect(first.headers['x-request-id']).not.toBe(second.headers['x-request-id']);
    },
  );

  it('contains only errors that the API document describes', async () => {
    const { body } = await request(service.url).get('/openapi.json');
    expect(body.info.version).toBe('1.0.0');
    expect(Object.keys(body.paths['/api/v1/shorten'].post.responses)).toEqual(
      expect.arrayContaining(['201', '400', '401', '409', '413', '422', '429', '500', '503']),
    );
    const docs = await request(service.url).get('/docs');
    expect(docs.status).toBe(200);
    expect(docs.text).toContain('/openapi.json');
  });

  it.each([
    ['POST', '/health', 'GET, HEAD'],
    ['GET', '/api/v1/shorten', 'POST'],
    ['PUT', '/api/v1/shorten/', 'POST'],
    ['PROPFIND', '/api/v1/shorten/check-alias', 'GET, HEAD'],
  ])('to %s %s is 405 with Allow %s', async (method, path, allow) => {
    const answer = await fetch(service.url + path, { method });
    expect(answer.status).toBe(405);
    expect(answer.headers.get('allow')).toBe(allow);
    expect(await answer.json()).toMatchObject({ code: 'method_not_allowed' });
  });

  it.each(['/api', '/api/v1', '/api/v1/nothing', '/static/nothing', '/health/x', '/oauth/x/y/z'])(
    'for an unknown path below a fixed one is 404 with every method: %s',
    async (path) => {
      for (const method of ['GET', 'POST']) {
        const answer = await fetch(service.url + path, {
          method,
          headers: { accept: 'application/json' },
        });
        expect(answer.status).toBe(404);
        expect(await answer.json()).toMatchObject({ code: 'not_found' });
      }
    },
  );

  it('is the same with a trailing slash on a fixed path', async () => {
    expect((await request(service.url).get('/health/')).status).toBe(200);
  });

  describe('across origins', () => {
    const preflight = (path: string, origin: string): request.Test =>
      request(service.url).options(path).set({
        Origin: origin,
        'Access-Control-Request-Method': 'POST',
        'Access-Control-Request-Headers': 'content-type, x-else',
      });

    it('allows all origins for v1, without credentials', async () => {
      const answer = await preflight('/api/v1/shorten', 'https://any.test');
      expect(answer.status).toBe(204);
      expect(answer.headers).toMatchObject({
        'access-control-allow-origin': '*',
        'access-control-allow-methods': 'GET, POST, PUT, PATCH, DELETE, OPTIONS',
        'access-control-allow-headers': 'content-type, x-else',
        'access-control-max-age': '86400',
      });
      expect(answer.headers['access-control-allow-credentials']).toBeUndefined();
      const plain = await shorten(service, {}).set('Origin', 'https://any.test');
      expect(plain.headers['access-control-allow-origin']).toBe('*');
      expect(plain.headers['access-control-expose-headers']).toContain('X-Error-Code');
    });

    it('allows listed origins for /auth with credentials, and no others', async () => {
      for (const origin of ['https://app.test', 'chrome-extension://abcdefgh']) {
        const listed = await preflight('/auth/login', origin);
        expect(listed.headers).toMatchObject({
          'access-control-allow-origin': origin,
          'access-control-allow-credentials': 'true',
          vary: expect.stringContaining('Origin'),
        });
      }
      const other = await preflight('/auth/login', 'https://evil.test');
      expect(other.status).toBe(204);
      const names = Object.keys(other.headers);
      expect(names.filter((name) => name.startsWith('access-control-'))).toEqual([]);
      expect(other.headers['vary']).toContain('Origin');
    });

    it('has no CORS headers on other paths', async () => {
      const answer = await request(service.url).get('/health').set('Origin', 'https://app.test');
      expect(answer.headers['access-control-allow-origin']).toBeUndefined();
    });
  });

  describe('to hostile input', () => {
    it('is 413 for a body of 2 MB, with and without a length', async () => {
      const body = JSON.stringify({ long_url: `https://a.test/${'x'.repeat(2_000_000)}` });
      const answer = await shorten(service, body);
      expect(answer.status).toBe(413);
      expect(answer.body.code).toBe('payload_too_large');
      const chunked = await fetch(`${service.url}/api/v1/shorten`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', 'x-forwarded-for': anAddress() },
        body: new Blob([body]).stream(),
        duplex: 'half',
      });
      expect(chunked.status).toBe(413);
    });

    it.each(['text/plain', 'application/x-www-form-urlencoded', 'application/xml', ''])(
      'is 422 for the content type %p',
      async (type) => {
        const answer = await request(service.url)
          .post('/api/v1/shorten')
          .set({ 'Content-Type': type, 'X-Forwarded-For': anAddress() })
          .send('{"long_url":"https://a.test"}');
        expect(answer.status).toBe(422);
        expect(answer.body.field).toBe('input');
      },
    );

    it.each([
      ['keys', `{"long_url":"https://a.test/",${keys(80_000)}}`],
      ['equal keys', `{"long_url":"https://a.test/",${'"a":0,'.repeat(100_000)}"a":0}`],
      ['elements', `{"long_url":[${'{},'.repeat(100_000)}0]}`],
    ])('is 422 for a megabyte of %s', async (_, body) => {
      const answer = await shorten(service, body);
      expect(answer.status).toBe(422);
      expect(answer.body).toMatchObject({ code: 'validation_error', field: 'input' });
    });

    it('is normal for a body with several hundred unknown fields', async () => {
      const answer = await shorten(service, `{"long_url":"https://a.test/",${keys(900)}}`);
      expect(answer.status).toBe(201);
    });

    it.each([
      ['an unknown method', 'BREW /abc HTTP/1.1\r\nHost: x\r\n\r\n'],
      [
        'a header of 20 KB',
        `GET /abc HTTP/1.1\r\nHost: x\r\nX-Long: ${'x'.repeat(20_000)}\r\n\r\n`,
      ],
      ['a broken header', 'GET /abc HTTP/1.1\r\nHost: x\r\nbroken header\r\n\r\n'],
      [
        'two lengths',
        'POST /api/v1/shorten HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nxx',
      ],
      ['no HTTP at all', 'hello\r\n\r\n'],
    ])('is a clear 400 for %s', async (_, bytes) => {
      const answer = await raw(service.port, bytes);
      expect(answer).toMatch(/^HTTP\/1\.1 400 /);
      expect(answer).toContain('"code":"validation_error"');
      expect(answer).toMatch(/X-Request-ID: req_/);
    });

    it('is normal for a header of 10 KB', async () => {
      const answer = await request(service.url).get('/nobody').set('X-Long', 'x'.repeat(10_000));
      expect(answer.status).toBe(404);
    });

    it.each(['nonsense', 'utf-16le', 'iso-8859-1'])('is 422 for a body in %s', async (charset) => {
      const type = `application/json; charset=${charset}`;
      const answer = await shorten(service, '{}').set('Content-Type', type);
      expect(answer.status).toBe(422);
    });

    it('never contains a stack trace', () => {
      expect(service.log()).not.toMatch(/\n\s+at .*node_modules/);
    });
  });
});

import { connect, type Socket } from 'node:net';
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib';
import request from 'supertest';
import { aVerifiedAccount, type TestAccount } from '../../support/factories/accounts';
import { aLink } from '../../support/factories/links';
import { anAddress, bearer, shorten } from '../../support/http';
import { eventually, startService, type Service } from '../../support/service';

const MEGABYTE = 1_048_576;
const NOT_UTF8 = 'input: the body must be UTF-8';

class Wire {
  received = '';
  closed = false;
  private readonly socket: Socket;

  constructor(port: number) {
    this.socket = connect(port, '127.0.0.1');
    this.socket.setEncoding('latin1');
    this.socket.on('data', (text) => (this.received += String(text)));
    this.socket.on('error', () => undefined);
    this.socket.on('close', () => (this.closed = true));
  }

  send(bytes: string | Buffer): this {
    this.socket.write(bytes);
    return this;
  }

  head(request: string, headers: Record<string, string | number>): this {
    const lines = Object.entries({ Host: 'x', 'X-Forwarded-For': anAddress(), ...headers });
    return this.send(
      `${request} HTTP/1.1\r\n${lines.map(([name, value]) => `${name}: ${value}\r\n`).join('')}\r\n`,
    );
  }

  async until(text: string | RegExp): Promise<string> {
    await eventually(`${text}`, () => this.received.search(text) !== -1);
    return this.received;
  }

  answer(): Promise<string> {
    return this.until(/HTTP\/1\.1 [2-5]\d\d [^]*\r\n\r\n/);
  }

  async untilClosed(): Promise<string> {
    await eventually('the end of the connection', () => this.closed);
    return this.received;
  }

  end(): void {
    this.socket.destroy();
  }
}

describe('request bodies', () => {
  let service: Service;
  let account: TestAccount;
  const wires: Wire[] = [];
  const wire = (): Wire => {
    const opened = new Wire(service.port);
    wires.push(opened);
    return opened;
  };
  const json = { 'Content-Type': 'application/json' };

  beforeAll(async () => {
    service = await startService();
    account = await aVerifiedAccount(service);
  });
  afterEach(() => {
    for (const open of wires.splice(0)) open.end();
  });
  afterAll(() => service.stop());

  describe('that are compressed', () => {
    const text = '{"long_url":"https://example.com/"}';
    it.each([
      ['gzip', gzipSync(text)],
      ['deflate', deflateSync(text)],
      ['br', brotliCompressSync(text)],
      ['x-gzip', gzipSync(text)],
      ['identity, gzip', gzipSync(text)],
      ['nonsense', Buffer.from(text)],
    ])('return 415 with the accepted encodings: %s', async (coding, body) => {
      const answer = await fetch(`${service.url}/api/v1/shorten`, {
        method: 'POST',
        headers: { ...json, 'Content-Encoding': coding, 'X-Forwarded-For': anAddress() },
        body,
      });
      expect(answer.status).toBe(415);
      expect(answer.headers.get('accept-encoding')).toBe('identity');
      expect(answer.headers.get('x-error-code')).toBe('validation_error');
      expect(await answer.json()).toMatchObject({ code: 'validation_error' });
    });

    it.each([
      ['PATCH', '/api/v1/urls/0123456789abcdef01234567', 'application/json'],
      ['PUT', '/api/v1/urls/0123456789abcdef01234567/qr', 'application/json'],
      ['PUT', '/api/v1/qr/logo', 'image/png'],
      ['POST', '/auth/login', 'application/json'],
      ['POST', '/login', 'application/x-www-form-urlencoded'],
      ['POST', '/login', 'multipart/form-data; boundary=x'],
      ['POST', '/', 'application/x-www-form-urlencoded'],
      ['POST', '/stats/abc', 'multipart/form-data; boundary=x'],
      ['POST', '/abc/password', 'application/x-www-form-urlencoded'],
    ])('return 415 at %s %s (%s)', async (method, path, type) => {
      const answer = await fetch(service.url + path, {
        method,
        headers: {
          'Content-Type': type,
          'Content-Encoding': 'gzip',
          'X-Forwarded-For': anAddress(),
          ...(path.startsWith('/api') ? bearer(account.accessToken) : {}),
          ...(path === '/login'
            ? { Origin: new URL(service.url.replace('127.0.0.1', 'localhost')).origin }
            : {}),
        },
        body: gzipSync('a=b'),
      });
      expect(answer.status).toBe(415);
    });

    it('are accepted if they declare no compression', async () => {
      const answer = await shorten(service, text).set('Content-Encoding', 'Identity');
      expect(answer.status).toBe(201);
    });
  });

  describe('that are not read', () => {
    it.each([
      ['GET /health', 200],
      ['HEAD /health', 200],
      ['GET /api/v1/shorten/check-alias?alias=free', 200],
      ['GET /openapi.json', 200],
      ['POST /auth/logout', 200],
      ['POST /health', 405],
      ['POST /api/v1/nothing', 404],
      ['GET /nobody-made-this', 404],
    ])('do not delay the response: %s returns %s', async (line, status) => {
      const open = wire().head(line, {
        ...json,
        Accept: 'application/json',
        'Content-Encoding': 'br',
        'Content-Length': 900_000,
      });
      expect(await open.answer()).toContain(`HTTP/1.1 ${status} `);
      expect(open.received).toContain('Connection: close');
    });

    it('close only the connection of a redirect', async () => {
      const { alias } = await aLink(service);
      const open = wire().head(`GET /${alias}`, { ...json, 'Content-Length': 900_000 });
      expect(await open.answer()).toContain('HTTP/1.1 302 ');
    });

    it('close no connection if they are small', async () => {
      const open = wire().head('GET /health', { ...json, 'Content-Length': 2 });
      expect(await open.answer()).not.toContain('Connection: close');
      open.send('{}').head('GET /health', {});
      await open.until(/200 OK[^]*200 OK/);
    });
  });

  describe('of rejected requests', () => {
    it.each([
      ['PUT /api/v1/qr/logo', { 'Content-Type': 'image/png', 'Content-Length': 200_000 }],
      ['PATCH /api/v1/urls/0123456789abcdef01234567', { ...json, 'Content-Length': 1000 }],
      ['POST /auth/change-password', { ...json, 'Transfer-Encoding': 'chunked' }],
    ])('do not delay the response without a credential: %s', async (line, headers) => {
      const open = wire().head(line, headers);
      expect(await open.answer()).toContain('HTTP/1.1 401 ');
    });

    it('neither delay the response nor are parsed after the limit is exceeded', async () => {
      const address = anAddress();
      for (let n = 0; n < 20; n++) await shorten(service, { long_url: 'https://a.test/' }, address);
      const open = wire().head('POST /api/v1/shorten', {
        ...json,
        'X-Forwarded-For': address,
        'Content-Length': 900_000,
      });
      expect(await open.answer()).toContain('HTTP/1.1 429 ');
      expect((await shorten(service, '{"broken', address)).status).toBe(429);
    });

    it('are not requested with 100 Continue, unlike others', async () => {
      const refused = wire().head('PUT /api/v1/qr/logo', {
        'Content-Type': 'image/png',
        'Content-Length': 200_000,
        Expect: '100-continue',
      });
      expect(await refused.answer()).toMatch(/^HTTP\/1\.1 401 /);
      const body = '{"long_url":"https://example.com/"}';
      const wanted = wire().head('POST /api/v1/shorten', {
        ...json,
        'Content-Length': body.length,
        Expect: '100-continue',
      });
      await wanted.until(/^HTTP\/1\.1 100 Continue\r\n\r\n$/);
      wanted.send(body);
      expect(await wanted.answer()).toContain('HTTP/1.1 201 ');
    });

    it('do not prevent the response to a client that sends everything first', async () => {
      const open = wire().head('PUT /api/v1/qr/logo', {
        'Content-Type': 'image/png',
        'Content-Length': 4 * MEGABYTE,
      });
      open.send(Buffer.alloc(4 * MEGABYTE));
      const answer = await open.untilClosed();
      expect(answer).toContain('HTTP/1.1 401 ');
      expect(answer).toContain('"code":"authentication_error"');
    });

    it('are returned in the form if they are small', async () => {
      const address = anAddress();
      const send = () =>
        request(service.url)
          .post('/')
          .type('form')
          .set({ Accept: 'text/html', 'X-Forwarded-For': address })
          .send({ url: 'https://example.com/typed' });
      for (let n = 0; n < 5; n++) await send();
      const answer = await send();
      expect(answer.status).toBe(429);
      expect(answer.text).toContain('https://example.com/typed');
    });
  });

  describe('in progress', () => {
    const large = (address: string, length: number): Wire =>
      wire().head('POST /api/v1/shorten', {
        ...json,
        'X-Forwarded-For': address,
        'Content-Length': length,
        Expect: '100-continue',
      });
    const begun = /^HTTP\/1\.1 100 /;

    it('leave memory for one large body of the same client, and for other clients', async () => {
      const [address, other] = [anAddress(), anAddress()];
      const first = large(address, MEGABYTE);
      await first.until(begun);
      const second = await large(address, MEGABYTE).answer();
      expect(second).toMatch(/^HTTP\/1\.1 503 /);
      expect(second).toMatch(/\r\nRetry-After: \d+\r\n/);
      expect(second).toContain('\r\nConnection: close\r\n');
      expect(second).toContain('X-Error-Code: internal_error');
      await large(other, MEGABYTE).until(begun);
      expect((await shorten(service, { long_url: 'https://a.test/' }, address)).status).toBe(201);
      first.end();
      await eventually('room again', async () => {
        const again = large(address, MEGABYTE);
        await again.until(/^HTTP\/1\.1 /);
        return begun.test(again.received);
      });
    });

    it('count an IPv6 network as one client', async () => {
      await large('2001:db8:7:7::1', MEGABYTE).until(begun);
      expect(await large('2001:db8:7:7:ffff::2', MEGABYTE).answer()).toMatch(/^HTTP\/1\.1 503 /);
    });

    it('are read in pieces of any size', async () => {
      const open = wire().head('POST /api/v1/shorten', {
        ...json,
        'Transfer-Encoding': 'chunked',
      });
      const text = JSON.stringify({ pad: 'é'.repeat(40_000), long_url: 'https://example.com/' });
      const bytes = Buffer.from(text);
      for (let at = 0; at < bytes.length; at += 9973) {
        const piece = bytes.subarray(at, at + 9973);
        open
          .send(`${piece.length.toString(16)}\r\n`)
          .send(piece)
          .send('\r\n');
      }
      open.send('0\r\n\r\n');
      expect(await open.answer()).toContain('HTTP/1.1 201 ');
    });
  });

  describe('with invalid UTF-8', () => {
    const bytes = (text: string): Buffer => Buffer.from(text, 'latin1');
    const form = 'application/x-www-form-urlencoded';
    const send = (
      method: string,
      path: string,
      type: string,
      text: string,
      accept = 'application/json',
    ) =>
      fetch(service.url + path, {
        method,
        headers: {
          'Content-Type': type,
          Accept: accept,
          'X-Forwarded-For': anAddress(),
          ...(path.startsWith('/api') ? bearer(account.accessToken) : {}),
          Origin: service.url.replace('127.0.0.1', 'localhost'),
        },
        body: bytes(text),
      });

    it.each([
      ['POST', '/api/v1/shorten', '{"long_url":"https://example.com/caf\xe9"}'],
      ['POST', '/auth/login', '{"email":"a@example.com","password":"Caf\xe9.2024"}'],
      ['POST', '/auth/register', '{"email":"a@example.com","password":"Corr3ct-Horse\xe9"}'],
      ['POST', '/api/v1/keys', '{"name":"caf\xe9","scopes":["urls:read"]}'],
      ['PUT', '/api/v1/urls/0123456789abcdef01234567/qr', '{"dark":"\xe9"}'],
      ['POST', '/api/v1/public/stats/abc', '{"password":"Caf\xe9.2024"}'],
    ])('return 422 as JSON: %s %s', async (method, path, text) => {
      const answer = await send(method, path, 'application/json', text);
      expect(answer.status).toBe(422);
      expect(await answer.json()).toMatchObject({ error: NOT_UTF8, field: 'input' });
    });

    it('do not change a password', async () => {
      const { body: link } = await shorten(service, {
        long_url: 'https://example.com/',
        password: 'Tulips.2030',
      }).set(bearer(account.accessToken));
      const path = `/api/v1/urls/${link.id}`;
      const answer = await send('PATCH', path, 'application/json', '{"password":"Caf\xe9.2024"}');
      expect(answer.status).toBe(422);
      const visited = await request(service.url)
        .get(`/${link.alias}`)
        .redirects(0)
        .set({ 'X-Link-Password': 'Tulips.2030' });
      expect(visited.status).toBe(302);
    });

    it.each([
      ['/', form, 'url=https://example.com/caf\xe9'],
      ['/', form, 'url=https://example.com/caf%E9'],
      ['/emoji', form, 'url=https%3A%2F%2Fexample.com%2F%E9'],
      ['/abc/password', form, 'password=Caf%E9.2024'],
      ['/stats/abc', form, 'password=Caf\xe9.2024'],
      ['/export/abc/json', form, 'password=Caf%E9.2024'],
      ['/login', form, 'email=a%40example.com&password=Caf%E9.2024'],
      ['/register', form, 'email=a%40example.com&password=Corr3ct-Horse%E9'],
      ['/login/forgot-password', form, 'email=caf%E9%40example.com'],
      [
        '/login',
        'multipart/form-data; boundary=x',
        '--x\r\nContent-Disposition: form-data; name="email"\r\n\r\ncaf\xe9@a.test\r\n--x--\r\n',
      ],
    ])('return 422 in a form: POST %s (%s)', async (path, type, text) => {
      const answer = await send('POST', path, type, text);
      expect(answer.status).toBe(422);
      expect(await answer.json()).toMatchObject({ error: NOT_UTF8 });
      const asPage = await send('POST', path, type, text, 'text/html');
      expect(asPage.status).toBe(422);
    });

    it('are still accepted in a form that declares its charset', async () => {
      const answer = await send(
        'POST',
        '/',
        `${form}; charset=ISO-8859-1`,
        'url=https://example.com/caf%E9',
      );
      expect(await answer.json()).toMatchObject({ original_url: expect.stringContaining('caf') });
    });

    it.each([
      '/api/v1/shorten/check-alias?alias=caf%E9',
      '/api/v1/urls?search=caf%E9',
      '/api/v1/stats?scope=all&city=%FF',
      '/emoji?url=https://example.com/caf%E9',
    ])('return 400 in a query: %s', async (path) => {
      const answer = await fetch(service.url + path, {
        headers: {
          ...bearer(account.accessToken),
          Accept: 'application/json',
          'X-Forwarded-For': anAddress(),
        },
      });
      expect(answer.status).toBe(400);
      expect(await answer.json()).toMatchObject({ code: 'validation_error' });
    });

    it('are ignored in the query of a visit', async () => {
      const link = await aLink(service);
      const visited = await fetch(`${service.url}/${link.alias}?utm_source=caf%E9`, {
        redirect: 'manual',
      });
      expect(visited.status).toBe(302);
      expect((await fetch(`${service.url}/health?x=%E9`)).status).toBe(200);
    });
  });
});

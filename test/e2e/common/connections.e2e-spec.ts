import { connect } from 'node:net';
import { ApiClient } from '../../support/api-client';
import { aLink, type MadeLink } from '../../support/factories/links';
import { startService, type Service } from '../../support/service';

describe('a connection', () => {
  let service: Service;
  let link: MadeLink;

  beforeAll(async () => {
    service = await startService();
    link = await aLink(service);
  });
  afterAll(() => service.stop());

  interface Manner {
    /** A request to send first, so that the bytes are not the first on the connection. */
    after?: string;
    ends?: boolean;
  }

  function converse(text: string, { after, ends = false }: Manner = {}): Promise<string> {
    return new Promise((resolve, reject) => {
      const socket = connect({ port: service.port, host: '127.0.0.1', allowHalfOpen: true });
      let received = '';
      let waits = after !== undefined;
      const say = (): void => {
        socket.write(text);
        if (ends) socket.end();
      };
      if (after === undefined) say();
      else socket.write(after);
      socket.on('data', (bytes) => {
        received += bytes.toString('latin1');
        if (!waits || !received.includes('\r\n\r\n')) return;
        waits = false;
        received = '';
        say();
      });
      socket.on('error', reject);
      socket.on('end', () => {
        socket.destroy();
        resolve(received);
      });
    });
  }

  const asked = (path: string, ...lines: string[]): string =>
    [`GET ${path} HTTP/1.1`, ...lines, '', ''].join('\r\n');
  const visit = (): string => asked(`/${link.alias}`, 'Host: a');

  describe.each(['/{alias}', '/', '/health', '/api/v1/urls', '/nobody-has-this'])('to %s', (of) => {
    const path = (): string => of.replace('{alias}', link.alias);

    it.each([
      ['no Host line', []],
      ['two', ['Host: a', 'Host: a']],
      ['two different ones', ['Host: a', 'X: y', 'hOST: b']],
      ['two hosts in one', ['Host: a,b']],
      ['one that names no host', ['Host: a b']],
      ['one with a path', ['Host: a/b']],
      ['one with a user', ['Host: b@a']],
      ['one with a port that is none', ['Host: a:http']],
    ] as [string, string[]][])('with %s returns 400, at any position', async (_, lines) => {
      const first = await converse(asked(path(), ...lines));
      const later = await converse(asked(path(), ...lines), { after: visit() });
      for (const answer of [first, later]) {
        expect(answer).toMatch(/^HTTP\/1\.1 400 Bad Request\r\n/);
        expect(answer).toMatch(/\r\nX-Request-ID: req_[0-9a-f]{12}\r\n/);
        expect(answer).toContain('\r\nX-Content-Type-Options: nosniff\r\n');
        expect(answer).toContain('\r\nX-Error-Code: validation_error\r\n');
        expect(answer).toContain('\r\nConnection: close\r\n');
        const [head = '', body = ''] = answer.split('\r\n\r\n');
        expect(head).toContain(`\r\nContent-Length: ${body.length}`);
        expect(JSON.parse(body)).toMatchObject({ code: 'validation_error' });
      }
      const varying = /\r\n(?:X-Request-ID|Date): [^\r]+/g;
      expect(later.replace(varying, '')).toBe(first.replace(varying, ''));
    });
  });

  it('with HTTP/1.0 needs no Host header', async () => {
    const answer = await converse(`GET /${link.alias} HTTP/1.0\r\n\r\n`);
    expect(answer).toMatch(/^HTTP\/1\.1 302 /);
  });

  it('may have an empty Host header', async () => {
    const answer = await converse(asked(`/${link.alias}`, 'Host:'));
    expect(answer).toMatch(/^HTTP\/1\.1 302 /);
  });

  it('rejects only the request with a wrong Host header', async () => {
    const text = visit() + asked(`/${link.alias}`, 'Host: a', 'Host: b') + visit();
    const answers = (await converse(text)).match(/HTTP\/1\.1 \d+/g);
    expect(answers).toEqual(['HTTP/1.1 302', 'HTTP/1.1 400']);
  });

  describe('whose client has finished sending', () => {
    it.each([
      ['a redirect', () => `/${link.alias}`, 302],
      ['a page', () => '/', 200],
      ['a sign-in page', () => '/login', 200],
      ['public statistics', () => `/api/v1/public/stats/${link.alias}`, 200],
      ['a page of statistics', () => `/stats/${link.alias}`, 200],
      ['an unknown link', () => '/nobody-has-this', 404],
      ['health', () => '/health', 200],
      ['a QR code', () => `/${link.alias}/qr.svg`, 200],
      ['the API document', () => '/openapi.json', 200],
      ['a refusal', () => '/api/v1/urls', 401],
    ] as [string, () => string, number][])('returns %s and ends', async (_, path, status) => {
      const lines = ['Host: a', 'Accept: text/html'];
      for (const after of [undefined, visit()]) {
        const answer = await converse(asked(path(), ...lines), { after, ends: true });
        expect(answer).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `));
        expect(answer).toContain('\r\n\r\n');
      }
    });

    it("returns the response to an account's request", async () => {
      const owner = await ApiClient.on(service);
      const credential = `Authorization: Bearer ${owner.account.accessToken}`;
      for (const path of ['/api/v1/urls', '/api/v1/stats?scope=all', '/auth/me']) {
        const answer = await converse(asked(path, 'Host: a', credential), { ends: true });
        expect(answer).toMatch(/^HTTP\/1\.1 200 /);
      }
      const body = JSON.stringify({ long_url: 'https://example.com/half' });
      const head = `POST /api/v1/shorten HTTP/1.1\r\nHost: a\r\n${credential}\r\n`;
      const type = `Content-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n`;
      expect(await converse(head + type + body, { ends: true })).toMatch(/^HTTP\/1\.1 201 /);
    });

    it('returns the result of a sign-in', async () => {
      const body = JSON.stringify({ email: 'nobody@example.com', password: 'Secret.2024' });
      const head = `POST /auth/login HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\n`;
      const request = `${head}Content-Length: ${body.length}\r\n\r\n${body}`;
      expect(await converse(request, { ends: true })).toMatch(/^HTTP\/1\.1 401 /);
    });

    it('returns all responses', async () => {
      const stats = asked(`/api/v1/public/stats/${link.alias}`, 'Host: a');
      const text = visit() + stats + visit() + asked('/health', 'Host: a') + visit();
      const answer = await converse(text, { ends: true });
      const statuses = answer.match(/HTTP\/1\.1 \d+/g)?.map((line) => Number(line.slice(9)));
      expect(statuses).toEqual([302, 200, 302, 200, 302]);
    });
  });
});

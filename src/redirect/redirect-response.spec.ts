import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { locationOf } from '../links/location';
import { RedirectResponse } from './redirect-response';

/** What a server sends for these bytes, until it closes the connection. */
async function answerTo(server: Server, text: string): Promise<string> {
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
  socket.write(text);
  let answer = '';
  for await (const piece of socket) answer += String(piece);
  return answer;
}

const LAST = 'GET /last HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n';

describe('the redirect as it is sent', () => {
  const redirect = new RedirectResponse(true);
  let server: Server;

  beforeAll(async () => {
    server = createServer((request, response) => {
      // A header that is set already has Node write all of them.
      if (request.url === '/by-node') response.setHeader('X-RateLimit-Limit', '1');
      redirect.send(response, 302, locationOf('https://bücher.example/ü?a=b#c'));
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
  });
  afterAll(() => server.close());

  it.each([
    ['GET', '1.1'],
    ['HEAD', '1.1'],
    ['GET', '1.0'],
  ])('is for %s over HTTP/%s what Node would have made of it', async (method, version) => {
    const ask = (path: string): string =>
      `${method} ${path} HTTP/${version}\r\nHost: a\r\nConnection: keep-alive\r\n\r\n`;
    const [ours = '', nodes = ''] = await Promise.all(
      ['/ours', '/by-node'].map(async (path) => {
        const [first = '', last, end] = (await answerTo(server, ask(path) + LAST)).split(
          '\r\n\r\n',
        );
        expect(last).toMatch(/^HTTP\/1\.1 302 Found[^]*\r\nConnection: close$/);
        expect(end).toBe('');
        return first;
      }),
    );
    const lines = (head: string): string[] =>
      head
        .split('\r\n')
        .filter((line) => !line.startsWith('x-ratelimit'))
        .map((line) => line.replace(/^(X-Request-ID: req_)[0-9a-f]{12}$/, '$1'))
        .map((line) => line.replace(/^(Date: ).*GMT$/, '$1'));
    expect(lines(ours)).toEqual(lines(nodes));
    expect(ours).toContain('\r\nLocation: https://xn--bcher-kva.example/%C3%BC?a=b#c\r\n');
    expect(Date.parse(/\r\nDate: (.*)\r\n/.exec(ours)?.[1] ?? '')).not.toBeNaN();
  });
});

import * as fc from 'fast-check';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import type { RequestHead } from '../../common/request-handler';
import { readPlainRequest } from './plain-request';

const socket = {} as Socket;
const read = (text: string): RequestHead | null => readPlainRequest(text, socket);
const withHeaders = (...lines: string[]): string =>
  ['GET /abc?a=b HTTP/1.1', 'Host: a', ...lines, '', ''].join('\r\n');

describe('a plain request', () => {
  it('contains the path with the query, and the headers that a redirect needs', () => {
    const text = withHeaders(
      'user-agent:  Mozilla/5.0 (X11) \t',
      'REFERER: https://a.example/b?c',
      'X-Forwarded-For: 192.0.2.1, 198.51.100.7',
      'Connection: Keep-Alive',
      'Upgrade-Insecure-Requests: 1',
      'Cookie: a=b',
      'Sec-Fetch-Mode: navigate',
      'X-Mozilla: prefetch',
      'X-Empty:',
    );
    expect(read(text)).toEqual({
      method: 'GET',
      url: '/abc?a=b',
      headers: {
        host: 'a',
        'user-agent': 'Mozilla/5.0 (X11)',
        referer: 'https://a.example/b?c',
        'x-forwarded-for': '192.0.2.1, 198.51.100.7',
      },
      socket,
    });
  });

  it.each([
    ['another method', 'HEAD /abc HTTP/1.1\r\nHost: a\r\n\r\n'],
    ['HTTP/1.0', 'GET /abc HTTP/1.0\r\nHost: a\r\n\r\n'],
    ['the form for proxies', 'GET http://a/abc HTTP/1.1\r\nHost: a\r\n\r\n'],
    ['two spaces', 'GET  /abc HTTP/1.1\r\nHost: a\r\n\r\n'],
    ['a space in the path', 'GET /a bc HTTP/1.1\r\nHost: a\r\n\r\n'],
    ['a fragment', 'GET /abc#d HTTP/1.1\r\nHost: a\r\n\r\n'],
    ['no Host', 'GET /abc HTTP/1.1\r\nUser-Agent: a\r\n\r\n'],
    ['no header at all', 'GET /abc HTTP/1.1\r\n\r\n'],
    ['two Hosts', withHeaders('host: b')],
    ['two addresses', withHeaders('X-Forwarded-For: 192.0.2.1', 'X-Forwarded-For: 192.0.2.2')],
    ['two User-Agents', withHeaders('User-Agent:', 'User-Agent: b')],
    ['a body', withHeaders('Content-Length: 1') + 'x'],
    ['an empty body', withHeaders('content-length: 0')],
    ['chunks', withHeaders('Transfer-Encoding: chunked') + '0\r\n\r\n'],
    ['a space before the colon', withHeaders('Content-Length : 1')],
    ['a folded line', withHeaders('User-Agent: a', ' b')],
    ['a line without a name', withHeaders(': b')],
    ['a line without a colon', withHeaders('User-Agent')],
    ['an end of the connection', withHeaders('Connection: close')],
    ['another protocol', withHeaders('Connection: keep-alive, Upgrade', 'Upgrade: h2c')],
    ['a prefetch', withHeaders('Sec-Purpose: prefetch')],
    ['the same, in lower case', withHeaders('sec-purpose:prefetch;prerender')],
    ['the older header for it', withHeaders('PURPOSE: x')],
    ['that of Firefox', withHeaders('X-Moz: prefetch')],
    ['that of Safari', withHeaders('x-purpose: preview')],
    ['an expectation', withHeaders('Expect: 100-continue')],
    ['a line feed alone', 'GET /abc HTTP/1.1\nHost: a\n\n'],
    ['a line feed in a value', withHeaders('User-Agent: a\nContent-Length: 5')],
    ['a carriage return in a value', withHeaders('User-Agent: a\rContent-Length: 5')],
    ['a null character', withHeaders('User-Agent: a\0')],
    ['more than ASCII', withHeaders('User-Agent: \xe9')],
    ['a request behind it', withHeaders() + withHeaders()],
    ['a piece of one behind it', withHeaders() + 'G'],
    ['an empty line before it', '\r\n' + withHeaders()],
    ['no end', withHeaders().slice(0, -2)],
    ['half an end', withHeaders().slice(0, -1)],
    ['nothing', ''],
  ])('cannot be read from %s', (_, text) => expect(read(text)).toBeNull());
});

describe('bytes that are read as a plain request', () => {
  let server: Server;
  let seen: { request: IncomingMessage; body: number; staysOpen: boolean }[];
  let broken: number;

  beforeAll(async () => {
    server = createServer((request, response) => {
      const found = { request, body: 0, staysOpen: response.shouldKeepAlive };
      seen.push(found);
      request.on('data', (bytes: Buffer) => (found.body += bytes.length));
      response.end();
    });
    server.on('clientError', (_, connection) => {
      broken++;
      connection.destroy();
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
  });
  beforeEach(() => {
    seen = [];
    broken = 0;
  });
  afterAll(() => server.close());

  /** Sends the text and closes the connection after the response. */
  async function sendToNode(text: string): Promise<void> {
    const connection = connect((server.address() as AddressInfo).port, '127.0.0.1');
    connection.on('error', () => undefined);
    connection.write(text, 'latin1');
    await Promise.race([once(connection, 'data'), once(connection, 'close')]);
    connection.end();
    if (!connection.closed) await once(connection, 'close');
  }

  const pathCharacter = fc.integer({ min: 0x20, max: 0x7f }).map((c) => String.fromCharCode(c));
  const target = fc.oneof(
    fc.constantFrom('/abc', '/abc?a=b', '/', '//a/b', '/%F0%9F%98%80', '*', 'http://a/b'),
    fc.array(pathCharacter, { maxLength: 12 }).map((all) => `/${all.join('')}`),
  );
  const name = fc.constantFrom(
    ...['Host', 'host', 'User-Agent', 'Referer', 'X-Forwarded-For', 'Connection', 'Upgrade'],
    ...['Content-Length', 'Transfer-Encoding', 'Expect', 'Accept', 'Cookie', 'Keep-Alive'],
    ...['Proxy-Connection', 'Trailer', 'TE', 'Content-Length ', ' Host', 'Host\t', 'X!', ''],
  );
  const value = fc.oneof(
    fc.constantFrom('a', '', ' a ', '\ta\t', '0', '3', 'chunked', 'keep-alive', 'Keep-Alive'),
    fc.constantFrom(
      'close',
      'keep-alive, close',
      'upgrade',
      'a\r\n b',
      'a\nb',
      'a\rb',
      '\xa0a\xa0',
    ),
    fc.string({ maxLength: 12 }),
  );
  const line = fc.tuple(name, fc.constantFrom(':', ': ', ' :'), value).map((all) => all.join(''));
  const mostly = (usual: string, ...others: string[]): fc.Arbitrary<string> =>
    fc.oneof({ weight: 12, arbitrary: fc.constant(usual) }, fc.constantFrom(...others));
  const end = mostly('\r\n', '\n', '\r', '\r\r\n');
  const request = fc
    .record({
      start: fc
        .tuple(
          mostly('GET', 'get', 'HEAD', 'POST'),
          mostly(' ', '\t', '  '),
          target,
          mostly(' HTTP/1.1', ' HTTP/1.0', ' HTTP/1.2', ''),
        )
        .map((all) => all.join('')),
      lines: fc.array(line, { maxLength: 5 }),
      ends: fc.array(end, { minLength: 8, maxLength: 8 }),
      behind: mostly('', 'a', '\r\n', withHeaders()),
    })
    .map(({ start, lines, ends, behind }) =>
      [start, 'Host: a', ...lines, '', behind].reduce((all, one, i) => all + (ends[i] ?? '') + one),
    );

  it('are the same request for Node, without a body, on a connection that stays open', async () => {
    const accepted = fc.sample(request, { numRuns: 20_000, seed: 20_261_123 }).filter(read);
    expect(accepted.length).toBeGreaterThan(300);
    for (const text of accepted.slice(0, 600)) {
      seen = [];
      const plain = read(text);
      await sendToNode(text);
      expect({ text, broken, requests: seen.length }).toEqual({ text, broken: 0, requests: 1 });
      const [found] = seen;
      const { method, url, headers, httpVersion, complete } = found?.request ?? {};
      expect({ method, url, httpVersion, complete }).toEqual({
        ...{ method: 'GET', url: plain?.url, httpVersion: '1.1', complete: true },
      });
      expect([found?.body, found?.staysOpen]).toEqual([0, true]);
      for (const read of ['referer', 'user-agent', 'x-forwarded-for', 'host']) {
        expect(plain?.headers[read]).toBe(headers?.[read]);
      }
    }
  });
});

import { once } from 'node:events';
import { createServer as createHttpServer } from 'node:http';
import { type AddressInfo, connect, createServer, type Server } from 'node:net';
import { toLocation } from '../destinations/location';
import { RedirectWriter } from './redirect-writer';

const LOCATION = toLocation('https://bücher.example/ü?a=b#c');

/** Sends a GET on a keep-alive connection and returns the response head. */
async function headFrom(server: Server): Promise<string> {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
  socket.write('GET /a HTTP/1.1\r\nHost: a\r\n\r\n');
  let answer = '';
  for await (const piece of socket) {
    answer += String(piece);
    if (answer.includes('\r\n\r\n')) break;
  }
  server.close();
  return answer;
}

describe('the redirect from the fast path', () => {
  it('is equal to the redirect from Node', async () => {
    const redirect = new RedirectWriter(true);
    const [nodes, ours] = await Promise.all([
      headFrom(createHttpServer((_, response) => redirect.send(response, 302, LOCATION))),
      headFrom(
        createServer((socket) => {
          const send = (response: string): unknown => socket.write(response, 'latin1');
          socket.once('data', () => redirect.reply({ keepAliveSeconds: 5, send }, LOCATION));
        }),
      ),
    ]);
    const lines = (head: string): string[] =>
      head
        .split('\r\n')
        .map((line) => line.replace(/^(X-Request-ID: req_)[0-9a-f]{12}$/, '$1'))
        .map((line) => line.replace(/^(Date: ).*GMT$/, '$1'));
    expect(lines(ours)).toEqual(lines(nodes));
    expect(ours).toContain('\r\nLocation: https://xn--bcher-kva.example/%C3%BC?a=b#c\r\n');
    expect(Date.parse(/\r\nDate: (.*)\r\n/.exec(ours)?.[1] ?? '')).not.toBeNaN();
  });
});

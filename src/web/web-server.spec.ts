import { createServer, type Server } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { answerBrokenRequests, guardAgainstSlowClients } from './web-server';

describe('a client that is too slow', () => {
  let server: Server;
  let drip: NodeJS.Timeout | undefined;

  beforeEach(async () => {
    server = createServer({ connectionsCheckingInterval: 20 }, (request, response) => {
      request.on('end', () => response.end('whole'));
      request.resume();
    });
    guardAgainstSlowClients(server, { headersMs: 250, requestMs: 500 });
    answerBrokenRequests(server, false);
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  });
  afterEach(async () => {
    clearInterval(drip);
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });

  /** Says `begin`, then a character at a time; answers all that came back before the end. */
  function dripping(begin: string, piece: string): Promise<string> {
    const { port } = server.address() as AddressInfo;
    const socket: Socket = connect(port, '127.0.0.1');
    let received = '';
    socket.on('data', (data) => (received += data.toString()));
    socket.on('error', () => undefined);
    socket.write(begin);
    drip = setInterval(() => socket.write(piece), 20);
    return new Promise((resolve) => socket.on('close', () => resolve(received)));
  }

  it('is cut off when its headers drip', async () => {
    const received = await dripping('GET / HTTP/1.1\r\nHost: a\r\n', 'X-More: 1\r\n');
    expect(received).toMatch(/^HTTP\/1\.1 400 Bad Request\r\nX-Request-ID: req_[0-9a-f]{12}\r\n/);
    expect(received).toContain('Connection: close');
  });

  it('is cut off when its body drips', async () => {
    const head = 'POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 100000\r\n\r\n';
    expect(await dripping(head, 'x')).not.toContain('whole');
  });

  it('is cut off when its chunks drip', async () => {
    const head = 'POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n';
    expect(await dripping(head, '1\r\nx\r\n')).not.toContain('whole');
  });

  it('is cut off when it says nothing at all', async () => {
    expect(await dripping('', '')).not.toContain('whole');
  });
});

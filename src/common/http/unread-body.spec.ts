import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { closeUnread } from './unread-body';

const BYTES = Buffer.alloc(20_000_000, 'x');

describe('request bodies that arrive after the response', () => {
  let server: Server;
  let sockets: Socket[];
  let clients: Socket[];

  beforeEach(async () => {
    [sockets, clients] = [[], []];
    server = createServer((request, response) => {
      sockets.push(request.socket);
      closeUnread(request, response);
      response.writeHead(503).end('no');
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
  });

  afterEach(async () => {
    for (const client of clients) client.destroy();
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });

  /** Sends 20 MB of an endless body. Resolves with the response's first line. */
  async function upload(): Promise<string> {
    const client = connect({
      port: (server.address() as AddressInfo).port,
      host: '127.0.0.1',
      allowHalfOpen: true,
    });
    client.on('error', () => undefined);
    clients.push(client);
    client.write('POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 90000000\r\n\r\n');
    client.write(BYTES);
    const [answer] = (await once(client, 'data')) as [Buffer];
    return answer.toString().split('\r\n')[0] ?? '';
  }

  const readWhole = (): Socket[] => sockets.filter(({ bytesRead }) => bytesRead > BYTES.length);

  it('are read from four connections at a time, and every client gets its response', async () => {
    const answers = await Promise.all(Array.from({ length: 10 }, upload));
    expect(new Set(answers)).toEqual(new Set(['HTTP/1.1 503 Service Unavailable']));
    while (readWhole().length < 4) await nextTurn();
    for (let turn = 0; turn < 100; turn++) await nextTurn();
    expect(readWhole()).toHaveLength(4);
    readWhole()[0]?.destroy();
    while (readWhole().length < 5) await nextTurn();
    expect(readWhole()).toHaveLength(5);
  });
});

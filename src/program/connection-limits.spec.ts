import { once } from 'node:events';
import { createServer, type Server, type ServerResponse } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { eventually } from '../../test/support/shared/eventually';
import { RecordingLogger } from '../../test/support/shared/recording-logger';
import { ConnectionGuard, connectionLimits, type ConnectionLimits } from './connection-limits';
import { FastPath } from './fast-path/fast-path';
import { isIdleSocket, readingMs, trackRequests } from './fast-path/node-internals';

const ASK = 'GET / HTTP/1.1\r\nHost: a\r\n\r\n';
const HELD = 'GET /held HTTP/1.1\r\nHost: a\r\n\r\n';

describe('Connection limits', () => {
  it.each([
    [65_536, 1, { inTotal: 30_000, perClient: 200 }],
    [Infinity, 1, { inTotal: 30_000, perClient: 200 }],
    [1024, 1, { inTotal: 824, perClient: 200 }],
    [600, 2, { inTotal: 400, perClient: 100 }],
    [256, 8, { inTotal: 128, perClient: 50 }],
  ])(
    'are calculated for %d descriptors in each of %d processes',
    (descriptors, processes, limits) =>
      expect(connectionLimits(processes, descriptors)).toEqual(limits),
  );

  it('depend on the descriptor limit of this process', () =>
    expect(connectionLimits(1).inTotal).toBeGreaterThan(0));
});

describe.each([
  ['with the fast path', true],
  ['without it', false],
])('Too many connections, %s,', (_, hasFastPath) => {
  let server: Server;
  let held: ServerResponse[];
  let sockets: Socket[];
  let log: RecordingLogger;
  const proxy = '127.0.0.99';

  async function serve(limits: ConnectionLimits): Promise<void> {
    [held, sockets, log] = [[], [], new RecordingLogger()];
    server = createServer((request, response) => {
      if (request.url === '/held') held.push(response);
      else response.end('answer');
    });
    trackRequests(server);
    const fastPath = hasFastPath ? new FastPath(server, () => false) : null;
    const facts = {
      keyOf: ({ remoteAddress = '' }: Socket) => (remoteAddress === proxy ? null : remoteAddress),
      isIdle: (socket: Socket) => fastPath?.isIdle(socket) ?? isIdleSocket(socket),
      readingMs,
    };
    new ConnectionGuard(server, limits, facts, log);
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
  }
  afterEach(async () => {
    for (const socket of sockets) socket.destroy();
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });

  /** Connects from an address and sends `says`; resolves once the server has received it. */
  async function dial(localAddress: string, says = ''): Promise<Socket> {
    const { port } = server.address() as AddressInfo;
    const accepted = once(server, 'connection') as Promise<[Socket]>;
    const socket = connect({ port, host: '127.0.0.1', localAddress });
    sockets.push(socket);
    socket.on('error', () => undefined).resume();
    const [peer] = await accepted;
    if (says === '' || peer.destroyed) return socket;
    const arrivals = held.length;
    socket.write(says);
    if (says === ASK) await once(socket, 'data');
    else if (says === HELD) await eventually('the request', () => held.length > arrivals);
    else await eventually('the bytes', () => peer.bytesRead >= says.length);
    return socket;
  }

  const closed = (socket: Socket): Promise<void> =>
    eventually('the connection is closed', () => socket.destroyed);
  async function expectAnswer(socket: Socket): Promise<void> {
    socket.write(ASK);
    expect(String((await once(socket, 'data'))[0])).toContain('answer');
  }

  it("from one client close only the client's oldest idle connection", async () => {
    await serve({ inTotal: 100, perClient: 2 });
    const other = await dial('127.0.0.2', ASK);
    const [first, second] = [await dial('127.0.0.3', ASK), await dial('127.0.0.3', ASK)];
    const third = await dial('127.0.0.3');
    await closed(first);
    for (const socket of [other, second, third]) await expectAnswer(socket);
  });

  it('from one client close an idle connection, but none whose first request is arriving', async () => {
    await serve({ inTotal: 100, perClient: 3 });
    const idle = [await dial('127.0.0.3', ASK), await dial('127.0.0.3', ASK)];
    const next = [await dial('127.0.0.3'), await dial('127.0.0.3'), await dial('127.0.0.3')];
    for (const socket of idle) await closed(socket);
    for (const socket of next) await expectAnswer(socket);
  });

  it('from one client are rejected if all its connections have requests in progress', async () => {
    await serve({ inTotal: 100, perClient: 2 });
    await dial('127.0.0.3', HELD);
    await dial('127.0.0.3', HELD);
    await closed(await dial('127.0.0.3'));
    await expectAnswer(await dial('127.0.0.2'));
    expect(log.lines).toEqual([
      'warn Too many connections; closing idle ones and rejecting new ones',
    ]);
    for (const response of held) response.end();
    await eventually('they are idle', () => held.every((response) => response.writableFinished));
    await expectAnswer(await dial('127.0.0.3'));
  });

  it('from a proxy belong to many clients', async () => {
    await serve({ inTotal: 100, perClient: 2 });
    for (let i = 0; i < 5; i++) await dial(proxy, HELD);
    await expectAnswer(await dial(proxy));
  });

  it('in total close idle connections of the client with the most connections', async () => {
    await serve({ inTotal: 4, perClient: 3 });
    const visitor = await dial('127.0.0.2', ASK);
    const flood = [await dial('127.0.0.3', ASK), await dial('127.0.0.3'), await dial('127.0.0.3')];
    const next = await dial('127.0.0.4');
    await closed(flood[0] as Socket);
    for (const socket of [visitor, next]) await expectAnswer(socket);
  });

  it('in total close a connection with an incomplete request if none is idle', async () => {
    await serve({ inTotal: 3, perClient: 3 });
    const visitor = await dial('127.0.0.2', HELD);
    const half = [await dial('127.0.0.3', 'GET / HTTP'), await dial('127.0.0.3', 'GET / HTTP')];
    const next = await dial('127.0.0.4');
    await closed(half[0] as Socket);
    await expectAnswer(next);
    held[0]?.end();
    expect(String((await once(visitor, 'data'))[0])).toContain('200 OK');
  });

  it('in total reject the next connection of a client with many, but never a new visitor', async () => {
    await serve({ inTotal: 4, perClient: 4 });
    const half = 'GET / HTTP';
    for (const client of [3, 3, 4, 4]) await dial(`127.0.0.${client}`, half);
    await closed(await dial('127.0.0.3'));
    await expectAnswer(await dial('127.0.0.5'));
  });

  it("in total do not close other new clients' connections whose first request is arriving", async () => {
    await serve({ inTotal: 3, perClient: 3 });
    await dial('127.0.0.2', HELD);
    const next = [await dial('127.0.0.3'), await dial('127.0.0.4')];
    await closed(await dial('127.0.0.5'));
    for (const socket of next) await expectAnswer(socket);
  });

  it('in total close a connection without a request of a client with several connections', async () => {
    await serve({ inTotal: 3, perClient: 3 });
    for (let i = 0; i < 3; i++) await dial('127.0.0.3');
    await expectAnswer(await dial('127.0.0.4'));
  });

  it('in total close connections without a request after a while', async () => {
    await serve({ inTotal: 2, perClient: 2 });
    const silent = [await dial('127.0.0.3'), await dial('127.0.0.4')];
    const isAnyClosed = () => silent.some((socket) => socket.destroyed);
    await eventually('there is room', async () => {
      await dial('127.0.0.5');
      return isAnyClosed();
    });
    expect(isAnyClosed()).toBe(true);
  });

  it('in total are rejected if all have requests in progress, and accepted again afterwards', async () => {
    await serve({ inTotal: 2, perClient: 2 });
    await dial('127.0.0.2', HELD);
    const one = await dial('127.0.0.3', HELD);
    await closed(await dial('127.0.0.4'));
    one.destroy();
    await eventually('its end', () => held[1]?.destroyed === true);
    await expectAnswer(await dial('127.0.0.4'));
  });
});

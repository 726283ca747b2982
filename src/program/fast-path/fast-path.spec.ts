import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import type { Reply } from '../../common/request-handler';
import { eventually } from '../../../test/support/shared/eventually';
import { FastPath } from './fast-path';
import { trackRequests } from './node-internals';
import { Pipelining } from './pipelining';
import { answerBrokenRequests, closeServer, guardAgainstSlowClients } from '../web-server';

const get = (path: string, ...lines: string[]): string =>
  [`GET ${path} HTTP/1.1`, 'Host: a', ...lines, '', ''].join('\r\n');
const post = (path: string, body: string): string =>
  `POST ${path} HTTP/1.1\r\nHost: a\r\nContent-Length: ${body.length}\r\n\r\n${body}`;

/** A client's connection. */
class Dialed {
  received = '';
  readonly closed: Promise<unknown>;

  constructor(
    readonly socket: Socket,
    private readonly peers: ReadonlyMap<number | undefined, Socket>,
  ) {
    // Without Nagle's algorithm, each piece is sent separately.
    socket.setNoDelay();
    socket.on('data', (bytes) => (this.received += String(bytes)));
    socket.on('error', () => undefined);
    this.closed = new Promise((resolve) => socket.on('close', resolve));
  }

  /** Sends the text in one piece; resolves once the server has read it or has stopped reading. */
  async send(text: string): Promise<void> {
    const peer = this.peers.get(this.socket.localPort);
    const before = peer?.bytesRead ?? 0;
    this.socket.write(text);
    await eventually(
      'the bytes are read',
      () => peer?.isPaused() === true || (peer?.bytesRead ?? 0) >= before + text.length,
    );
  }

  /** Sends the text in one piece; resolves once `answers` responses have arrived in total. */
  async ask(text: string, answers: number): Promise<void> {
    this.socket.write(text);
    await this.answers(answers);
  }

  answers(count: number): Promise<void> {
    return eventually(`${count} answers`, () => this.bodies.length >= count, 10_000);
  }

  /** For each response, `fast:` or `node:` followed by the path. */
  get bodies(): string[] {
    return [...this.received.matchAll(/<([^]*?)>/g)].map(([, body = '']) => body);
  }
}

describe('the fast path', () => {
  let server: Server;
  let fastPath: FastPath;
  /** Pending replies for paths that start with `/slow`. */
  let open: { url: string; reply: Reply }[];
  /** Functions that let Node answer the requests for `/held`. */
  let held: (() => unknown)[];
  let dialed: Dialed[];
  /** The server's side of each connection, by the client's port. */
  let peers: Map<number | undefined, Socket>;

  const answer = (url: string, reply: Reply): void => {
    const body = `<fast:${url}>${url.startsWith('/fast/large') ? ' '.repeat(2 ** 20) : ''}`;
    reply.send(
      `HTTP/1.1 200 OK\r\nKeep-Alive: timeout=${reply.keepAliveSeconds}\r\n` +
        `Content-Length: ${body.length}\r\n\r\n${body}`,
    );
  };

  async function serve(patience = { headersMs: 10_000, requestMs: 10_000 }): Promise<void> {
    [open, held, dialed, peers] = [[], [], [], new Map()];
    const pipelining = new Pipelining((request, response) => {
      let body = '';
      request.on('data', (bytes) => (body += String(bytes)));
      const end = (): unknown => response.end(`<node:${request.url ?? ''}${body}>`);
      request.on('end', () => (request.url?.startsWith('/held') ? held.push(end) : end()));
    });
    server = createServer({ connectionsCheckingInterval: 20 }, pipelining.listener);
    guardAgainstSlowClients(server, patience);
    answerBrokenRequests(server, pipelining, false);
    trackRequests(server);
    fastPath = new FastPath(server, ({ url = '' }, reply) => {
      if (url.startsWith('/slow')) open.push({ url, reply });
      else if (url.startsWith('/soon')) setImmediate(() => answer(url, reply));
      else if (url.startsWith('/fast')) answer(url, reply);
      else if (url.startsWith('/broken')) throw new Error('broken');
      else return false;
      return true;
    });
    server.on('connection', (socket: Socket) => peers.set(socket.remotePort, socket));
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
  }

  /** Opens a connection and sends its first request, which Node always handles. */
  async function dial(): Promise<Dialed> {
    const one = new Dialed(connect((server.address() as AddressInfo).port, '127.0.0.1'), peers);
    dialed.push(one);
    await one.ask(get('/fast/first'), 1);
    expect(one.bodies).toEqual(['node:/fast/first']);
    one.received = '';
    return one;
  }

  beforeEach(() => serve());
  afterEach(async () => {
    for (const { socket } of dialed) socket.destroy();
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
    expect(fastPath.unanswered).toBe(open.length);
  });

  it('handles suitable requests and leaves others to Node, in any order on one connection', async () => {
    const one = await dial();
    const requests = ['/fast/1', '/node/2', '/soon/3', '/fast/4', '/broken/5', '/soon/6'];
    for (const [i, path] of requests.entries()) await one.ask(get(path), i + 1);
    expect(one.bodies).toEqual([
      ...['fast:/fast/1', 'node:/node/2', 'fast:/soon/3', 'fast:/fast/4', 'node:/broken/5'],
      'fast:/soon/6',
    ]);
    expect(one.received).toContain('Keep-Alive: timeout=20\r\n');
  });

  it('continues after a request with a body', async () => {
    const one = await dial();
    await one.ask(post('/fast/1', 'x'.repeat(100_000)), 1);
    await one.ask(post('/fast/2', get('/fast/no')), 2);
    await one.ask(get('/fast/3'), 3);
    expect(one.bodies.map((body) => body.slice(0, 12))).toEqual([
      ...['node:/fast/1', 'node:/fast/2', 'fast:/fast/3'],
    ]);
  });

  it('responds to a client that has finished sending, and then closes the connection', async () => {
    Object.assign(server, { httpAllowHalfOpen: true });
    const accepted = once(server, 'connection') as Promise<[Socket]>;
    const one = await dial();
    const [peer] = await accepted;
    one.socket.end(get('/slow'));
    await once(peer, 'end');
    await eventually('the request', () => open.length === 1);
    for (const { url, reply } of open.splice(0)) answer(url, reply);
    await one.closed;
    expect(one.bodies).toEqual(['fast:/slow']);
  });

  it('leaves to Node data that looks like a request but belongs to the previous one', async () => {
    const one = await dial();
    const begun = post('/node/1', '').replace('Length: 0', `Length: ${get('/fast/no').length}`);
    await one.send(begun);
    await one.ask(get('/fast/no'), 1);
    expect(one.received).toContain('<node:/node/1GET /fast/no HTTP/1.1');
    await one.send('GET /node/2 HTTP/1.1\r\nHost: a\r\nX-Begun: ');
    await one.ask(get('/fast/no'), 2);
    await one.ask(get('/fast/3'), 3);
    expect(one.bodies.slice(1)).toEqual(['node:/node/2', 'fast:/fast/3']);
  });

  it('leaves to Node the rest of the data after a complete request', async () => {
    const one = await dial();
    await one.ask(get('/node/1') + 'GET /node/2 HTTP/1.1\r\nHost: a\r\nX-Begun: ', 1);
    await one.ask(get('/fast/no'), 2);
    await one.ask(get('/fast/3') + 'G', 3);
    await one.ask(get('/fast/4').slice(1), 4);
    await one.ask(get('/fast/5'), 5);
    expect(one.bodies).toEqual([
      ...['node:/node/1', 'node:/node/2', 'node:/fast/3', 'node:/fast/4', 'fast:/fast/5'],
    ]);
  });

  it('leaves pipelined requests to Node, and keeps the order of responses', async () => {
    const one = await dial();
    await one.ask(get('/fast/1') + get('/fast/2') + get('/node/3'), 3);
    expect(one.bodies).toEqual(['node:/fast/1', 'node:/fast/2', 'node:/node/3']);
    one.socket.write(get('/slow/4'));
    await eventually(() => open.length === 1);
    for (const path of ['/fast/5', '/node/6', '/soon/7']) await one.send(get(path));
    expect(one.bodies).toHaveLength(3);
    for (const { url, reply } of open.splice(0)) answer(url, reply);
    await one.answers(7);
    expect(one.bodies.slice(3).map((body) => body.slice(5))).toEqual([
      ...['/slow/4', '/fast/5', '/node/6', '/soon/7'],
    ]);
    await one.ask(get('/fast/8'), 8);
    expect(one.bodies.at(-1)).toBe('fast:/fast/8');
  });

  it('continues reading after data that it had kept', async () => {
    const one = await dial();
    for (const path of ['/slow/1', '/fast/2', '/fast/3']) await one.send(get(path));
    for (const { url, reply } of open.splice(0)) answer(url, reply);
    await one.answers(3);
    await one.ask(get('/fast/4'), 4);
    expect(one.bodies.map((body) => body.at(-1))).toEqual(['1', '2', '3', '4']);
  });

  it('keeps unread data while other connections are read', async () => {
    const [waiting, other] = await Promise.all([dial(), dial()]);
    for (const text of [get('/slow/1'), post('/node/2', 'of the first')]) await waiting.send(text);
    await other.ask(post('/node/3', 'of the other'.repeat(20)), 1);
    await other.ask(get('/fast/4'), 2);
    for (const { url, reply } of open.splice(0)) answer(url, reply);
    await waiting.answers(2);
    expect(waiting.bodies).toEqual(['fast:/slow/1', 'node:/node/2of the first']);
    expect(other.bodies[0]).toBe(`node:/node/3${'of the other'.repeat(20)}`);
  });

  it('leaves to Node a request of more than 4 KB', async () => {
    const one = await dial();
    const ofLength = (bytes: number): string =>
      get('/fast/1', `X: ${'a'.repeat(bytes - get('/fast/1', 'X: ').length)}`);
    await one.ask(ofLength(4096), 1);
    await one.ask(ofLength(4097), 2);
    expect(one.bodies).toEqual(['fast:/fast/1', 'node:/fast/1']);
  });

  it('leaves everything to Node if a socket cannot read into a given buffer', async () => {
    server.prependListener('connection', (socket: Socket) => {
      Object.assign(Reflect.get(socket, '_handle') as object, { useUserBuffer: undefined });
    });
    const one = await dial();
    for (const path of ['/fast/1', '/node/2']) await one.ask(get(path), one.bodies.length + 1);
    expect(one.bodies).toEqual(['node:/fast/1', 'node:/node/2']);
  });

  it('never responds before an earlier response of Node', async () => {
    const one = await dial();
    one.socket.write(get('/held/1'));
    await eventually(() => held.length === 1);
    await one.send(get('/fast/2'));
    expect(one.bodies).toEqual([]);
    held[0]?.();
    await one.answers(2);
    expect(one.bodies).toEqual(['node:/held/1', 'node:/fast/2']);
  });

  it('drops the requests of a connection that closes meanwhile', async () => {
    const one = await dial();
    one.socket.write(get('/slow/1'));
    await eventually(() => open.length === 1);
    await one.send(get('/node/2') + 'GET /node/3 HTTP/1.1\r\nHost: a\r\nX-Begun: ');
    server.closeAllConnections();
    await one.closed;
    // Node reuses the parser of the closed connection for these connections.
    const others = await Promise.all([dial(), dial()]);
    for (const { url, reply } of open.splice(0)) answer(url, reply);
    for (const other of others) {
      await other.ask(get('/node/4'), 1);
      await other.ask(get('/fast/5'), 2);
      expect(other.bodies).toEqual(['node:/node/4', 'fast:/fast/5']);
    }
  });

  it('leaves a client that does not read to Node, and uses little memory', async () => {
    const accepted = once(server, 'connection') as Promise<[Socket]>;
    const one = await dial();
    const [ours] = await accepted;
    one.socket.pause();
    for (let i = 0; i < 40; i++) {
      const before = ours.bytesRead;
      one.socket.write(get('/fast/large'));
      await eventually(() => ours.bytesRead > before || ours.isPaused());
    }
    // Does not include what the operating system buffers.
    expect(ours.writableLength).toBeGreaterThan(0);
    expect(ours.writableLength).toBeLessThan(4 * 2 ** 20);
    one.socket.resume();
    await one.answers(40);
    expect(one.bodies).toContain('node:/fast/large');
  });

  it('does not bypass the header timeout, and does not trigger it wrongly', async () => {
    await new Promise((resolve) => server.close(resolve));
    await serve({ headersMs: 300, requestMs: 300 });
    const [quick, slow] = await Promise.all([dial(), dial()]);
    slow.socket.write('GET /fast/1 HTTP/1.1\r\nHost: a\r\n');
    let asked = 0;
    do await quick.ask(get(`/fast/${asked}`), ++asked);
    while (!slow.socket.closed);
    expect(quick.bodies.every((body) => body.startsWith('fast:'))).toBe(true);
    expect(slow.received).toMatch(/^HTTP\/1\.1 400 /);
  });

  it('keeps no connection beyond its idle timeout', async () => {
    const patient = await dial();
    server.keepAliveTimeout = 200;
    const one = await dial();
    await one.ask(get('/fast/1'), 1);
    await one.closed;
    expect(one.received).not.toContain('400');
    // This connection has been idle for the same time, but its limit is longer.
    await patient.ask(get('/fast/2'), 1);
  });

  it('responds to requests in progress before the server closes, and to none after that', async () => {
    const [waiting, idle] = await Promise.all([dial(), dial()]);
    waiting.socket.write(get('/slow/1'));
    await eventually(() => open.length === 1);
    const stopped = fastPath.stop(10_000).then(() => closeServer(server, 10_000));
    await idle.ask(get('/fast/1'), 1);
    expect(idle.bodies).toEqual(['node:/fast/1']);
    for (const { url, reply } of open.splice(0)) answer(url, reply);
    await waiting.closed;
    await stopped;
    expect(waiting.bodies).toEqual(['fast:/slow/1']);
    await idle.closed;
  });

  it('waits for requests in progress only up to the limit', async () => {
    const one = await dial();
    one.socket.write(get('/slow/1'));
    await eventually(() => open.length === 1);
    await fastPath.stop(50);
    expect(fastPath.unanswered).toBe(1);
    for (const { url, reply } of open.splice(0)) answer(url, reply);
    await one.answers(1);
  });
});

import type { Express } from 'express';
import { Agent, createServer, get, type Server, type ServerResponse } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { Pipelining } from './fast-path/pipelining';
import {
  answerBrokenRequests,
  closeServer,
  cutWhenUnread,
  guardAgainstSlowClients,
  HttpAdapter,
} from './web-server';

describe('a client that is too slow', () => {
  let server: Server;
  let drip: NodeJS.Timeout | undefined;

  beforeEach(async () => {
    const pipelining = new Pipelining((request, response) => {
      request.on('end', () => response.end('whole'));
      request.resume();
    });
    server = createServer({ connectionsCheckingInterval: 20 }, pipelining.listener);
    guardAgainstSlowClients(server, { headersMs: 250, requestMs: 500 });
    answerBrokenRequests(server, pipelining, false);
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  });
  afterEach(async () => {
    clearInterval(drip);
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });

  /** Sends `begin`, then `piece` character by character; returns everything received. */
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

  it('is disconnected if its headers arrive too slowly', async () => {
    const received = await dripping('GET / HTTP/1.1\r\nHost: a\r\n', 'X-More: 1\r\n');
    expect(received).toMatch(/^HTTP\/1\.1 400 Bad Request\r\nX-Request-ID: req_[0-9a-f]{12}\r\n/);
    expect(received).toContain('Connection: close');
  });

  it('is disconnected if its body arrives too slowly', async () => {
    const head = 'POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 100000\r\n\r\n';
    expect(await dripping(head, 'x')).not.toContain('whole');
  });

  it('is disconnected if its chunks arrive too slowly', async () => {
    const head = 'POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n';
    expect(await dripping(head, '1\r\nx\r\n')).not.toContain('whole');
  });

  it('is disconnected without a response if it sends nothing, like spare connections of browsers', async () => {
    expect(await dripping('', '')).toBe('');
  });
});

describe('a client that does not read', () => {
  const stallMs = 100;
  let server: Server;
  let socket: Socket;
  let answer: (response: ServerResponse) => void;

  beforeEach(async () => {
    server = createServer((_, response) => {
      cutWhenUnread(response, stallMs);
      answer(response);
    });
    guardAgainstSlowClients(server, { headersMs: 5000, requestMs: 5000 });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    socket = connect(port, '127.0.0.1');
    socket.on('error', () => undefined);
    socket.write('GET / HTTP/1.1\r\nHost: a\r\n\r\n');
  });
  afterEach(async () => {
    socket.destroy();
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });

  it('is disconnected, and the response emits `close`', async () => {
    socket.pause();
    const cutOff = await new Promise<ServerResponse>((resolve) => {
      answer = (response) => {
        response.on('close', () => resolve(response));
        response.write(Buffer.alloc(64 << 20));
      };
    });
    expect(cutOff.destroyed).toBe(true);
    expect(cutOff.writableFinished).toBe(false);
  });

  it('stays connected while there is nothing to read, and is disconnected later', async () => {
    const order: string[] = [];
    await new Promise<void>((resolve) => {
      answer = (response) => {
        response.on('close', resolve);
        response.on('timeout', (connection: Socket) => {
          order.push(connection.destroyed ? 'cut off' : 'silent');
          if (order.length > 1) return;
          socket.pause();
          response.write(Buffer.alloc(64 << 20));
        });
      };
    });
    expect(order).toEqual(['silent', 'cut off']);
  });
});

describe('a client that sends requests without reading', () => {
  it('is disconnected, and its waiting requests are dropped', async () => {
    const closed: string[] = [];
    const pipelining = new Pipelining(
      (request, response) => {
        response.on('close', () => closed.push(request.url ?? ''));
        response.end(Buffer.alloc(64 << 20));
      },
      { perConnection: 8, inTotal: 8 },
      100,
    );
    const server = createServer(pipelining.listener);
    guardAgainstSlowClients(server);
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const ended = new Promise((resolve) =>
      server.on('connection', (connection) => connection.on('close', resolve)),
    );
    const socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
    socket.on('error', () => undefined);
    socket.pause();
    socket.write('GET /1 HTTP/1.1\r\nHost: a\r\n\r\nGET /2 HTTP/1.1\r\nHost: a\r\n\r\n');

    await ended;
    expect(closed).toEqual(['/1']);
    socket.destroy();
    await new Promise((resolve) => server.close(resolve));
  });
});

describe('the server of a web process', () => {
  const adapter = new HttpAdapter({
    port: 0,
    host: '127.0.0.1',
    baseUrl: 'http://localhost',
    trustProxy: false,
    cookieSecure: true,
    corsOrigins: [],
    fastPath: true,
    strictHosts: false,
  });
  let server: Server;
  let base: string;

  beforeAll(async () => {
    const express = adapter.getInstance<Express>();
    express.use((_, response) => void response.send('express'));
    adapter.initHttpServer();
    server = adapter.getHttpServer();
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  });
  afterAll(() => new Promise((resolve) => server.close(resolve)));

  it('uses Express until another handler is set', async () => {
    expect(await (await fetch(`${base}/first`)).text()).toBe('express');
  });

  it('passes each request first to the handler, which may pass it on to Express', async () => {
    adapter.putBeforeExpress((next) => (request, response) => {
      if (request.url === '/first') response.end('before');
      else next(request, response);
    });
    const [first, other] = await Promise.all([fetch(`${base}/first`), fetch(`${base}/other`)]);
    expect([await first.text(), await other.text()]).toEqual(['before', 'express']);
    expect([first, other].map(({ headers }) => headers.has('x-request-id'))).toEqual([false, true]);
    expect(server.listenerCount('request')).toBe(1);
  });
});

describe('the shutdown of a server', () => {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  afterAll(() => agent.destroy());

  function connectionHeader(port: number): Promise<string | undefined> {
    return new Promise((resolve, reject) => {
      get({ port, host: '127.0.0.1', agent }, (response) => {
        response.resume();
        response.on('end', () => resolve(response.headers.connection));
      }).on('error', reject);
    });
  }

  it('handles one more request on a keep-alive connection, and announces the close', async () => {
    const adapter = new HttpAdapter({
      port: 0,
      host: '127.0.0.1',
      baseUrl: 'http://localhost',
      trustProxy: false,
      cookieSecure: true,
      corsOrigins: [],
      fastPath: true,
      strictHosts: false,
    });
    adapter.initHttpServer();
    adapter.putBeforeExpress(() => (_, response) => void response.end('whole'));
    const server = adapter.getHttpServer() as Server;
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    expect(await connectionHeader(port)).toBe('keep-alive');
    adapter.endConnections();
    const closed = closeServer(server, 5000);
    expect(await connectionHeader(port)).toBe('close');
    await closed;
  });
});

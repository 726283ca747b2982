import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { eventually } from '../../../test/support/shared/eventually';
import { Pipelining, type PipelineLimits } from './pipelining';
import { answerBrokenRequests, closeServer, ignoreExpectations } from '../web-server';

interface Arrival {
  request: IncomingMessage;
  response: ServerResponse;
}

const get = (path: string): string => `GET ${path} HTTP/1.1\r\nHost: a\r\n\r\n`;

describe('pipelined requests', () => {
  let server: Server;
  let arrivals: Arrival[];
  const sockets: Socket[] = [];

  async function listen(limits?: PipelineLimits): Promise<void> {
    arrivals = [];
    const pipelining = new Pipelining(
      (request, response) => arrivals.push({ request, response }),
      limits,
    );
    server = createServer(pipelining.listener);
    ignoreExpectations(server);
    answerBrokenRequests(server, pipelining, false);
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  }

  /** Opens a connection; `closed` resolves with everything received, `received` returns it. */
  function dial(): { socket: Socket; received: () => string; closed: Promise<string> } {
    const socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
    let text = '';
    sockets.push(socket);
    socket.on('data', (data) => (text += data.toString()));
    socket.on('error', () => undefined);
    const closed = new Promise<string>((resolve) => socket.on('close', () => resolve(text)));
    return { socket, received: () => text, closed };
  }

  const urls = (): string[] => arrivals.map(({ request }) => request.url ?? '');
  const arrived = (count: number): Promise<void> => eventually(() => arrivals.length >= count);
  const answer = (at: number): void => {
    arrivals[at]?.response.end(`<${arrivals[at].request.url ?? ''}>`);
  };
  const bodies = (text: string): string[] => text.match(/<.*?>/g) ?? [];

  beforeEach(() => listen());
  afterEach(async () => {
    for (const socket of sockets.splice(0)) socket.destroy();
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });

  it('are handled one at a time, in order', async () => {
    const { socket, received } = dial();
    socket.write(get('/1') + get('/2') + get('/3'));
    for (let i = 0; i < 3; i++) {
      await arrived(i + 1);
      expect(urls()).toEqual(['/1', '/2', '/3'].slice(0, i + 1));
      answer(i);
    }
    await eventually(() => bodies(received()).length === 3);
    expect(bodies(received())).toEqual(['</1>', '</2>', '</3>']);
    socket.write(get('/4'));
    await arrived(4);
  });

  it('learn that the connection has closed if they have begun, and never begin otherwise', async () => {
    const { socket } = dial();
    socket.write(get('/1') + get('/2') + get('/3'));
    await arrived(1);
    const closed = new Promise((resolve) => arrivals[0]?.response.on('close', resolve));
    socket.destroy();
    await closed;
    answer(0);
    const other = dial();
    other.socket.write(get('/4'));
    await arrived(2);
    expect(urls()).toEqual(['/1', '/4']);
  });

  it('keep their bodies while they wait', async () => {
    const { socket, received } = dial();
    const body = 'x'.repeat(300_000);
    const post = `POST /2 HTTP/1.1\r\nHost: a\r\nContent-Length: ${body.length}\r\n\r\n${body}`;
    socket.write(get('/1') + post + get('/3'));
    await arrived(1);
    answer(0);
    await arrived(2);
    let read = '';
    arrivals[1]?.request.on('data', (data: Buffer) => (read += data.toString()));
    await eventually(() => arrivals[1]?.request.complete === true && read.length === body.length);
    answer(1);
    await arrived(3);
    answer(2);
    await eventually(() => bodies(received()).length === 3);
    expect(read).toBe(body);
    expect(bodies(received())).toEqual(['</1>', '</2>', '</3>']);
  });

  it('continue after a request with a response before its body was read', async () => {
    const { socket, received } = dial();
    const body = 'x'.repeat(300_000);
    socket.write(`POST /1 HTTP/1.1\r\nHost: a\r\nContent-Length: ${body.length}\r\n\r\n${body}`);
    socket.write(get('/2') + get('/3'));
    for (let i = 0; i < 3; i++) {
      await arrived(i + 1);
      answer(i);
    }
    await eventually(() => bodies(received()).length === 3);
    expect(bodies(received())).toEqual(['</1>', '</2>', '</3>']);
  });

  it('get 100 Continue from the reader, and no response body for HEAD', async () => {
    const { socket, received } = dial();
    const post = 'POST /2 HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\nContent-Length: 1\r\n\r\n';
    socket.write(get('/1') + 'HEAD /h HTTP/1.1\r\nHost: a\r\n\r\n' + post);
    await arrived(1);
    answer(0);
    await arrived(2);
    expect(received()).not.toContain('100 Continue');
    answer(1);
    await arrived(3);
    expect(received()).not.toContain('100 Continue');
    arrivals[2]?.response.writeContinue();
    await eventually(() => received().includes('100 Continue'));
    socket.write('x');
    answer(2);
    await eventually(() => bodies(received()).length === 2);
    expect(bodies(received())).toEqual(['</1>', '</2>']);
  });

  it('close only their own connection if too many are waiting', async () => {
    server.close();
    await listen({ perConnection: 3, inTotal: 4 });
    const calm = dial();
    calm.socket.write(get('/calm/1') + get('/calm/2') + get('/calm/3'));
    await arrived(1);
    const flood = dial();
    flood.socket.write(get('/flood').repeat(1000));
    await flood.closed;
    expect(urls()).toEqual(['/calm/1', '/flood']);
    // Each connection may have three waiting requests, and two are already waiting.
    const third = dial();
    third.socket.write(get('/third').repeat(4));
    await third.closed;
    for (let i = 0; i < 3; i++) {
      await eventually(() => urls().filter((url) => url.startsWith('/calm')).length > i);
      arrivals.filter(({ request }) => request.url?.startsWith('/calm'))[i]?.response.end('<calm>');
    }
    await eventually(() => bodies(calm.received()).length === 3);
    // The waiting requests were dropped, so that new requests may wait.
    const next = dial();
    next.socket.write(get('/next').repeat(4));
    for (let i = 0; i < 4; i++) {
      await eventually(() => urls().filter((url) => url === '/next').length > i);
      arrivals.at(-1)?.response.end('<next>');
    }
    await eventually(() => bodies(next.received()).length === 4);
  });

  it('get their responses before the bytes after them are rejected', async () => {
    const { socket, closed } = dial();
    socket.write(get('/1') + get('/2') + 'NONSENSE\r\n\r\n');
    await arrived(1);
    socket.write('MORE NONSENSE\r\n\r\n');
    answer(0);
    await arrived(2);
    answer(1);
    const text = await closed;
    expect(text.match(/HTTP\/1\.1 \d+/g)).toEqual(['HTTP/1.1 200', 'HTTP/1.1 200', 'HTTP/1.1 400']);
    expect(bodies(text)).toEqual(['</1>', '</2>']);
  });

  it('get their responses up to the request with a malformed body', async () => {
    const { socket, closed } = dial();
    const broken = 'POST /2 HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\nnonsense\r\n';
    socket.write(get('/1') + broken);
    await arrived(1);
    answer(0);
    const text = await closed;
    expect(text.match(/HTTP\/1\.1 \d+/g)).toEqual(['HTTP/1.1 200', 'HTTP/1.1 400']);
    expect(urls()).toEqual(['/1']);
  });

  it('get their responses before the server closes', async () => {
    const { socket, closed } = dial();
    socket.write(get('/1') + get('/2'));
    await arrived(1);
    const stopped = closeServer(server, 60_000);
    answer(0);
    await arrived(2);
    answer(1);
    await stopped;
    expect(bodies(await closed)).toEqual(['</1>', '</2>']);
  });
});

import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { type AddressInfo, connect, Socket } from 'node:net';

// Every undocumented member of Node that the program uses, here and nowhere else.

/** When the request began that a connection is reading; 0 between two requests. */
const READING_SINCE = Symbol('readingSince');

/** Node's HTTP parser: its callbacks are numbered. */
interface Parser {
  [callback: number]: ((this: Parser) => unknown) | null | undefined;
  readonly socket?: InternalSocket | null;
}

/** `HTTPParser.kOnMessageBegin`, which Node leaves unset, and `HTTPParser.kOnMessageComplete`. */
const [ON_BEGIN, ON_COMPLETE] = [0, 4];

/** A connection of Node's http server. */
interface InternalSocket extends Socket {
  [READING_SINCE]?: number;
  /** The response that is being written, null between two. */
  _httpMessage?: ServerResponse | null;
  /** Null once the connection is closed or upgraded. */
  parser?: Parser | null;
  /** Set by `onread` of net.connect; for accepted sockets Node has no such option. */
  _handle?: { useUserBuffer?(bytes: Buffer): void } | null;
}

const symbols = Object.getOwnPropertySymbols(new Socket());
const [BUFFER, CALLBACK] = ['kBuffer', 'kBufferCb'].map((name) =>
  symbols.find(({ description }) => description === name),
);

/** Returns the response that is being written to a connection, null between two. */
export function currentResponse(socket: Socket): ServerResponse | null {
  return (socket as InternalSocket)._httpMessage ?? null;
}

/** Node's own callback, which parsers share. */
let completeRequest: Parser[number];

function onBegin(this: Parser): void {
  if (this.socket) this.socket[READING_SINCE] = performance.now();
}

function onComplete(this: Parser): void {
  if (this.socket) this.socket[READING_SINCE] = 0;
  completeRequest?.call(this);
}

/** Notes on each connection whether a request is being read. Call it before the server listens. */
export function trackRequests(server: Server): void {
  server.on('connection', (socket: InternalSocket) => {
    const { parser } = socket;
    if (!parser?.[ON_COMPLETE]) return;
    // Node's time for the first request also begins here.
    socket[READING_SINCE] = performance.now();
    parser[ON_BEGIN] = onBegin;
    // Node uses a parser again for another connection.
    if (parser[ON_COMPLETE] === onComplete) return;
    completeRequest = parser[ON_COMPLETE];
    parser[ON_COMPLETE] = onComplete;
  });
}

/** Returns for how many ms an incomplete request has been read; 0 without one. */
export function readingMs(socket: Socket): number {
  const since = (socket as InternalSocket)[READING_SINCE] ?? 0;
  return since === 0 ? 0 : performance.now() - since;
}

/** Whether all that came was read and answered, and the client has taken it. */
export function isIdleSocket(socket: Socket): boolean {
  return (
    (socket as InternalSocket)[READING_SINCE] === 0 &&
    (socket as InternalSocket).parser != null &&
    currentResponse(socket) === null &&
    socket.writableLength === 0 &&
    socket.writable
  );
}

/** Node's own listeners of a connection, by which its parser reads. */
export interface ParserListeners {
  readonly data: (bytes: Buffer) => void;
  readonly end: () => void;
}

/**
 * Takes the place of Node's parser on a new connection: the socket reads into `bytes`, which it may
 * share with others, and tells `receive` how many came, in place of `data` events with a buffer for
 * each. The contents of `bytes` stay there until `receive` returns. Returns the listeners of the parser;
 * null, with nothing changed, in a Node that does it in another way.
 */
export function takeOver(
  socket: Socket,
  bytes: Buffer,
  receive: (count: number) => void,
): ParserListeners | null {
  const { _handle: handle } = socket as InternalSocket;
  const [data, ...others] = socket.listeners('data') as ParserListeners['data'][];
  const end = socket.listeners('end').at(-1) as ParserListeners['end'] | undefined;
  if (data === undefined || end === undefined || others.length > 0) return null;
  if (BUFFER === undefined || CALLBACK === undefined || !handle?.useUserBuffer) return null;
  Object.assign(socket, { [BUFFER]: bytes, [CALLBACK]: receive });
  handle.useUserBuffer(bytes);
  // Node ends a connection on which it knows of nothing to be answered.
  socket.removeListener('end', end);
  // Node's parser reads from the system by itself until somebody listens once more.
  socket.on('data', data);
  socket.removeListener('data', data);
  return { data, end };
}

type ProbeRequest = [IncomingMessage, ServerResponse];

/**
 * Node answers its own loopback within milliseconds, on a machine that is busy or was asleep within
 * seconds; a Node that lacks something may never do.
 */
const PROBE_MS = 30_000;

/**
 * Tries all of the above on one request over loopback. Returns what this Node lacks, null when
 * everything is there.
 */
export async function findMissingInternal(): Promise<string | null> {
  const server = createServer();
  const within = { signal: AbortSignal.timeout(PROBE_MS) };
  const bytes = Buffer.alloc(1024);
  const missing: string[] = [];
  trackRequests(server);
  server.once('connection', (socket: InternalSocket) => {
    // The parser has to report the beginning of the request, which 0 denies.
    socket[READING_SINCE] = 0;
    const parser = takeOver(socket, bytes, (count) => parser?.data(bytes.subarray(0, count)));
    if (parser === null) missing.push('useUserBuffer');
  });
  server.once('request', ({ socket }: IncomingMessage, response: ServerResponse) => {
    if (bytes[0] === 0) missing.push('kBuffer');
    else if (currentResponse(socket) !== response) missing.push('_httpMessage');
    else if (!(socket as InternalSocket)[READING_SINCE]) missing.push('kOnMessageBegin');
    response.end();
  });
  try {
    server.listen(0, '127.0.0.1');
    await once(server, 'listening', within);
    const client = connect((server.address() as AddressInfo).port, '127.0.0.1');
    client.on('error', () => undefined);
    client.write('GET / HTTP/1.1\r\nHost: a\r\n\r\n');
    const [{ socket }, response] = (await once(server, 'request', within)) as ProbeRequest;
    if (missing.length === 0 && !response.closed) await once(response, 'close', within);
    return missing[0] ?? (isIdleSocket(socket) ? null : 'kOnMessageComplete');
  } catch (error) {
    return String(error);
  } finally {
    server.closeAllConnections();
    server.close();
  }
}

import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { type AddressInfo, connect, Socket } from 'node:net';

// Only this file uses undocumented Node members.

/** When the current request began; 0 between two requests. */
const READING_SINCE = Symbol('readingSince');

interface Parser {
  [callback: number]: ((this: Parser) => unknown) | null | undefined;
  readonly socket?: InternalSocket | null;
}

/** `HTTPParser.kOnMessageBegin`, which Node does not use, and `kOnMessageComplete`. */
const [ON_BEGIN, ON_COMPLETE] = [0, 4];

interface InternalSocket extends Socket {
  [READING_SINCE]?: number;
  _httpMessage?: ServerResponse | null;
  /** Null once the connection is closed or upgraded. */
  parser?: Parser | null;
  /** Used by net.connect's `onread` option; accepted sockets have no such option. */
  _handle?: { useUserBuffer?(bytes: Buffer): void } | null;
}

const symbols = Object.getOwnPropertySymbols(new Socket());
const [BUFFER, CALLBACK] = ['kBuffer', 'kBufferCb'].map((name) =>
  symbols.find(({ description }) => description === name),
);

export function currentResponse(socket: Socket): ServerResponse | null {
  return (socket as InternalSocket)._httpMessage ?? null;
}

/** Node's callback, which all parsers share. */
let completeRequest: Parser[number];

function onBegin(this: Parser): void {
  if (this.socket) this.socket[READING_SINCE] = performance.now();
}

function onComplete(this: Parser): void {
  if (this.socket) this.socket[READING_SINCE] = 0;
  completeRequest?.call(this);
}

/** Call before the server listens. */
export function trackRequests(server: Server): void {
  server.on('connection', (socket: InternalSocket) => {
    const { parser } = socket;
    if (!parser?.[ON_COMPLETE]) return;
    // Node starts its timeout for the first request at the same time.
    socket[READING_SINCE] = performance.now();
    parser[ON_BEGIN] = onBegin;
    // Node reuses parsers for other connections, so the callback may already be replaced.
    if (parser[ON_COMPLETE] === onComplete) return;
    completeRequest = parser[ON_COMPLETE];
    parser[ON_COMPLETE] = onComplete;
  });
}

export function readingMs(socket: Socket): number {
  const since = (socket as InternalSocket)[READING_SINCE] ?? 0;
  return since === 0 ? 0 : performance.now() - since;
}

/** Whether all requests were answered and the client has received all responses. */
export function isIdleSocket(socket: Socket): boolean {
  return (
    (socket as InternalSocket)[READING_SINCE] === 0 &&
    (socket as InternalSocket).parser != null &&
    currentResponse(socket) === null &&
    socket.writableLength === 0 &&
    socket.writable
  );
}

export interface ParserListeners {
  readonly data: (bytes: Buffer) => void;
  readonly end: () => void;
}

/**
 * Replaces Node's parser on a new connection: the socket then reads into `bytes`, which several
 * sockets may share and which is valid until `receive` returns. Returns the parser's listeners, or
 * null without any change if this Node version works differently.
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
  // Removes Node's listener, which would close a connection without a response known to Node.
  socket.removeListener('end', end);
  // Node's parser reads directly from the operating system until a listener is added.
  socket.on('data', data);
  socket.removeListener('data', data);
  return { data, end };
}

type ProbeRequest = [IncomingMessage, ServerResponse];

/** Time limit for the probe: loopback may take seconds on a busy machine. */
const PROBE_MS = 30_000;

/** Sends a loopback request to check all internals; returns what is missing, or null. */
export async function findMissingInternal(): Promise<string | null> {
  const server = createServer();
  const within = { signal: AbortSignal.timeout(PROBE_MS) };
  const bytes = Buffer.alloc(1024);
  const missing: string[] = [];
  trackRequests(server);
  server.once('connection', (socket: InternalSocket) => {
    // The value changes only if the parser reports the start of a request.
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

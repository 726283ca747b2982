import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { Server as NetServer, type Socket } from 'node:net';
import { ExpressAdapter } from '@nestjs/platform-express';
import { BadRequestError } from '../common/errors';
import { settleHost } from '../common/host';
import { errorBody, jsonForm, sendError } from '../common/http/error-response';
import { closeUnread } from '../common/http/unread-body';
import type { RequestHandler } from '../common/request-handler';
import { newRequestId, securityHeaders } from '../common/response-headers';
import { cachingUnder } from '../common/routes';
import { isHttps } from '../config/url';
import { HttpOptions } from '../config/options';
import { Pipelining, STALL_MS } from './fast-path/pipelining';
import { ListenError } from './start-error';
import { withTimeout } from '../common/with-timeout';

/** Sets the headers of docs/contract.md#1.1 that every response carries, and those for caches. */
function securityHeaderSetter(http: HttpOptions): RequestHandler {
  const standing = securityHeaders(isHttps(http.baseUrl));
  return (request, response) => {
    response.setHeader('X-Request-ID', newRequestId());
    for (const [name, value] of standing) response.setHeader(name, value);
    setCaching(request.url ?? '/', response);
  };
}

/**
 * Says to caches what an answer depends on, refusals included. Answers that a credential decides are
 * stored nowhere: tokens, accounts and private figures are among them.
 */
function setCaching(url: string, response: ServerResponse): void {
  const { caching, errors } = cachingUnder(url);
  if (caching === 'private') {
    response.setHeader('Cache-Control', 'no-store');
    response.setHeader('Vary', `Cookie, Authorization${errors === 'json' ? '' : ', Accept'}`);
  } else if (caching === 'accept') {
    response.setHeader('Vary', 'Accept');
  }
}

/** How often connections are looked at that take too long; Node itself looks every 30 s only. */
const CONNECTION_CHECK_MS = 1000;

/**
 * Nest on Express as usual, on a server that cuts slow clients off when their time is over and
 * hands the requests of a connection on one at a time: first to what was put before Express.
 */
export class HttpAdapter extends ExpressAdapter {
  private readonly setHeaders: RequestHandler;
  private isEnding = false;
  private handler: RequestHandler = (request, response) => this.express(request, response);

  constructor(private readonly http: HttpOptions) {
    super();
    this.setHeaders = securityHeaderSetter(http);
  }

  override initHttpServer(): void {
    const pipelining = new Pipelining((request, response) => this.handle(request, response));
    // Node's own check of Host would answer without our headers, and takes two lines for one.
    const options = { connectionsCheckingInterval: CONNECTION_CHECK_MS, requireHostHeader: false };
    const server = createServer(options, pipelining.listener);
    // A client that has said all it has to say waits for its answer.
    Object.assign(server, { httpAllowHalfOpen: true });
    guardAgainstSlowClients(server);
    ignoreExpectations(server);
    answerBrokenRequests(server, pipelining, isHttps(this.http.baseUrl));
    this.httpServer = server;
  }

  /** Has a handler see every request first; what it does not answer it gives to `next`. */
  putBeforeExpress(
    compose: (next: RequestHandler, prepare: RequestHandler) => RequestHandler,
  ): void {
    this.handler = compose(
      (request, response) => this.express(request, response),
      (request, response) => this.prepare(request, response),
    );
  }

  /** Every response to a later request says that it is the last one of its connection. */
  endConnections(): void {
    this.isEnding = true;
  }

  private handle(request: IncomingMessage, response: ServerResponse): void {
    if (this.isEnding) response.shouldKeepAlive = false;
    closeUnread(request, response);
    if (settleHost(request)) this.handler(request, response);
    else this.refuseHost(request, response);
  }

  /** Answers in JSON, as `answerBrokenRequests` does: a client without a valid Host reads no pages. */
  private refuseHost(request: IncomingMessage, response: ServerResponse): void {
    this.prepare(request, response);
    const error = new BadRequestError('The request needs one Host header that names a host');
    response.setHeader('Connection', 'close');
    sendError(request, response, error, jsonForm(errorBody(error)));
  }

  private express(request: IncomingMessage, response: ServerResponse): void {
    this.prepare(request, response);
    this.getInstance<RequestHandler>()(request, response);
  }

  /** Adds what every answer has that is not a redirect. */
  private prepare(request: IncomingMessage, response: ServerResponse): void {
    this.setHeaders(request, response);
    cutWhenUnread(response);
  }
}

/** How long a client may take. */
export interface ClientPatience {
  /** For whole headers. */
  headersMs: number;
  /** For a whole request. */
  requestMs: number;
}

const PATIENCE: ClientPatience = { headersMs: 10_000, requestMs: 30_000 };

/**
 * Has the server cut clients off that drip, as often as its adapter looks at them. Clients that do
 * not read are cut by `cutWhenUnread` and by Pipelining: a time-out of the server itself would be
 * set and lifted with every redirect, whose answer fits the kernel's buffer anyway.
 */
export function guardAgainstSlowClients(server: Server, patience = PATIENCE): void {
  server.headersTimeout = patience.headersMs;
  server.requestTimeout = patience.requestMs;
  server.keepAliveTimeout = 20_000;
  server.maxRequestsPerSocket = 0;
}

/**
 * Cuts a connection that takes nothing of its answer for `stallMs`. One on which the answer is still
 * being made stays open: the time-out tells of silence, whoever is to blame for it. Node replaces
 * the time-out by the one of an idle connection when the answer is complete.
 */
export function cutWhenUnread(response: ServerResponse, stallMs = STALL_MS): void {
  response.socket?.setTimeout(stallMs);
  response.on('timeout', cutIfUnread);
}

function cutIfUnread(socket: Socket): void {
  if (socket.writableLength > 0) socket.destroy();
}

/**
 * An `Expect` that nobody can meet is ignored; Node would answer 417 without our headers. A client
 * that waits for a 100 gets one from the reader of the body; Node would send it at once.
 */
export function ignoreExpectations(server: Server): void {
  const handle: RequestHandler = (request, response) => server.emit('request', request, response);
  server.on('checkExpectation', handle);
  server.on('checkContinue', handle);
}

/**
 * Answers what Node's parser refuses (unknown methods, broken or oversized headers) with a 400,
 * after the answers to the requests that came before it on the same connection.
 */
export function answerBrokenRequests(
  server: Server,
  pipelining: Pick<Pipelining, 'afterAnswers'>,
  https: boolean,
): void {
  const body = JSON.stringify(errorBody(new BadRequestError('The request is not valid HTTP')));
  const answer = (socket: Socket): void => {
    if (!socket.writable) {
      socket.destroy();
      return;
    }
    const headers = [
      ['X-Request-ID', newRequestId()],
      ...securityHeaders(https),
      ['X-Error-Code', 'validation_error'],
      ['Content-Type', 'application/json; charset=utf-8'],
      ['Content-Length', String(Buffer.byteLength(body))],
      ['Connection', 'close'],
    ];
    const lines = headers.map(([name, value]) => `${name}: ${value}\r\n`).join('');
    socket.end(`HTTP/1.1 400 Bad Request\r\n${lines}\r\n${body}`);
  };
  // Bytes after broken ones are refused once more, and again with every chunk.
  const refused = new WeakSet<Socket>();
  server.on('clientError', (error: NodeJS.ErrnoException, socket: Socket) => {
    if (error.code === 'ECONNRESET' || !socket.writable || isUnused(error, socket)) {
      socket.destroy();
    } else if (!refused.has(socket)) {
      refused.add(socket);
      pipelining.afterAnswers(socket, () => answer(socket));
    }
  });
}

/**
 * Browsers open connections before they need them. One on which nothing was asked in time ends
 * without a word: the first request on it may be under way just then, and would take a 400 for its
 * answer, where it is sent again over another connection when this one is closed.
 */
function isUnused({ code }: NodeJS.ErrnoException, { bytesRead }: Socket): boolean {
  return code === 'ERR_HTTP_REQUEST_TIMEOUT' && bytesRead === 0;
}

/**
 * Listens where HOST and PORT say.
 * @throws ListenError; Nest's own `listen` would log the error as well
 */
export async function listen(server: Server, { host, port }: HttpOptions): Promise<void> {
  server.listen(port, host);
  try {
    await once(server, 'listening');
  } catch (error) {
    throw new ListenError(host, port, error as NodeJS.ErrnoException);
  }
}

/**
 * Busy clients get a response with `Connection: close` within this time. A request already under way on a
 * connection that is closed without it is lost.
 */
const IDLE_GRACE_MS = 1000;

/** Stops accepting, lets requests in flight be answered, cuts what is left after `patienceMs`. */
export async function closeServer(server: Server, patienceMs: number): Promise<void> {
  // The `close` of an HTTP server would close idle connections at once.
  const closed = new Promise<void>((resolve) =>
    NetServer.prototype.close.call(server, () => resolve()),
  );
  const sweepsFrom = performance.now() + IDLE_GRACE_MS;
  const sweep = setInterval(() => {
    if (performance.now() >= sweepsFrom) server.closeIdleConnections();
  }, 50);
  await withTimeout(closed, patienceMs, () => undefined);
  clearInterval(sweep);
  server.closeAllConnections();
}

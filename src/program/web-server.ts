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

/** Headers of every response (docs/contract.md#1.1), and caching headers. */
function securityHeaderSetter(http: HttpOptions): RequestHandler {
  const standing = securityHeaders(isHttps(http.baseUrl));
  return (request, response) => {
    response.setHeader('X-Request-ID', newRequestId());
    for (const [name, value] of standing) response.setHeader(name, value);
    setCaching(request.url ?? '/', response);
  };
}

/**
 * Sets what responses vary on, refusals included. Responses that depend on a credential are
 * never stored: they include tokens, accounts and private figures.
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

/** Node's default of 30 s is too rare for slow clients. */
const CONNECTION_CHECK_MS = 1000;

/** Disconnects slow clients and hands on a connection's requests one at a time. */
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
    // Node's Host check would respond without our headers, and accepts two lines.
    const options = { connectionsCheckingInterval: CONNECTION_CHECK_MS, requireHostHeader: false };
    const server = createServer(options, pipelining.listener);
    // A client that has closed its sending side still waits for its response.
    Object.assign(server, { httpAllowHalfOpen: true });
    guardAgainstSlowClients(server);
    ignoreExpectations(server);
    answerBrokenRequests(server, pipelining, isHttps(this.http.baseUrl));
    this.httpServer = server;
  }

  /** The handler gets every request first and passes unanswered requests on to `next`. */
  putBeforeExpress(
    compose: (next: RequestHandler, prepare: RequestHandler) => RequestHandler,
  ): void {
    this.handler = compose(
      (request, response) => this.express(request, response),
      (request, response) => this.prepare(request, response),
    );
  }

  endConnections(): void {
    this.isEnding = true;
  }

  private handle(request: IncomingMessage, response: ServerResponse): void {
    if (this.isEnding) response.shouldKeepAlive = false;
    closeUnread(request, response);
    if (settleHost(request)) this.handler(request, response);
    else this.refuseHost(request, response);
  }

  /** Responds in JSON: a client without a valid Host is not a browser. */
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

  private prepare(request: IncomingMessage, response: ServerResponse): void {
    this.setHeaders(request, response);
    cutWhenUnread(response);
  }
}

/** Time limits for clients, in ms. */
export interface ClientPatience {
  headersMs: number;
  requestMs: number;
}

const PATIENCE: ClientPatience = { headersMs: 10_000, requestMs: 30_000 };

/**
 * Disconnects clients that send too slowly. For those that do not read, see `cutWhenUnread` and
 * Pipelining: a server time-out would be set and reset with every redirect.
 */
export function guardAgainstSlowClients(server: Server, patience = PATIENCE): void {
  server.headersTimeout = patience.headersMs;
  server.requestTimeout = patience.requestMs;
  server.keepAliveTimeout = 20_000;
  server.maxRequestsPerSocket = 0;
}

/**
 * Closes a connection that reads nothing of its response for `stallMs`, but not while the
 * response is still being produced. Node restores the idle time-out when the response is
 * complete.
 */
export function cutWhenUnread(response: ServerResponse, stallMs = STALL_MS): void {
  response.socket?.setTimeout(stallMs);
  response.on('timeout', cutIfUnread);
}

function cutIfUnread(socket: Socket): void {
  if (socket.writableLength > 0) socket.destroy();
}

/**
 * Ignores unknown `Expect` headers, to which Node would respond 417 without our headers. The
 * body reader sends the 100 that a client waits for; Node would send it immediately.
 */
export function ignoreExpectations(server: Server): void {
  const handle: RequestHandler = (request, response) => server.emit('request', request, response);
  server.on('checkExpectation', handle);
  server.on('checkContinue', handle);
}

/**
 * Responds 400 to what Node's parser refuses, such as unknown methods and broken or oversized
 * headers, after the responses to earlier requests on the connection.
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
  // Node refuses the bytes again with every further chunk.
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
 * Browsers open connections in advance. An unused connection is closed silently: a 400 could
 * answer a first request in transit, which the browser otherwise repeats on another connection.
 */
function isUnused({ code }: NodeJS.ErrnoException, { bytesRead }: Socket): boolean {
  return code === 'ERR_HTTP_REQUEST_TIMEOUT' && bytesRead === 0;
}

/** @throws ListenError; Nest's own `listen` would log the error, too */
export async function listen(server: Server, { host, port }: HttpOptions): Promise<void> {
  server.listen(port, host);
  try {
    await once(server, 'listening');
  } catch (error) {
    throw new ListenError(host, port, error as NodeJS.ErrnoException);
  }
}

/**
 * Time for busy clients to get a response with `Connection: close`; without it, a request in
 * transit on a closed connection would be lost.
 */
const IDLE_GRACE_MS = 1000;

/** Stops accepting, finishes pending requests, and closes the rest after `patienceMs`. */
export async function closeServer(server: Server, patienceMs: number): Promise<void> {
  // `close` of an HTTP server would close idle connections immediately.
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

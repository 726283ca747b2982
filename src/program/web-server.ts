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

/** Sets the headers on every response (docs/contract.md#1.1) and the caching headers. */
function securityHeaderSetter(http: HttpOptions): RequestHandler {
  const standing = securityHeaders(isHttps(http.baseUrl));
  return (request, response) => {
    response.setHeader('X-Request-ID', newRequestId());
    for (const [name, value] of standing) response.setHeader(name, value);
    setCaching(request.url ?? '/', response);
  };
}

/**
 * Sets `Vary` and `Cache-Control`, even on error responses. Responses that depend on a credential
 * must not be stored, because they contain tokens, accounts and private figures.
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

/** Node's default of 30 s would detect slow clients too late. */
const CONNECTION_CHECK_MS = 1000;

/** Disconnects slow clients, and passes a connection's requests on one at a time. */
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
    // Node's Host header check responds without our headers, and accepts two Host headers.
    const options = { connectionsCheckingInterval: CONNECTION_CHECK_MS, requireHostHeader: false };
    const server = createServer(options, pipelining.listener);
    // A client that has closed its sending side may still wait for a response.
    Object.assign(server, { httpAllowHalfOpen: true });
    guardAgainstSlowClients(server);
    ignoreExpectations(server);
    answerBrokenRequests(server, pipelining, isHttps(this.http.baseUrl));
    this.httpServer = server;
  }

  /** The handler receives every request first, and passes requests it does not answer to `next`. */
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

  /** Responds with JSON, because a browser always sends a valid Host header. */
  private refuseHost(request: IncomingMessage, response: ServerResponse): void {
    this.prepare(request, response);
    const error = new BadRequestError('The request must have exactly one valid Host header');
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

/** Time limits for clients, in milliseconds. */
export interface ClientPatience {
  headersMs: number;
  requestMs: number;
}

const PATIENCE: ClientPatience = { headersMs: 10_000, requestMs: 30_000 };

/**
 * Disconnects clients that send too slowly. Clients that do not read are handled by
 * `cutWhenUnread` and Pipelining, because a server timeout would be reset with every redirect.
 */
export function guardAgainstSlowClients(server: Server, patience = PATIENCE): void {
  server.headersTimeout = patience.headersMs;
  server.requestTimeout = patience.requestMs;
  server.keepAliveTimeout = 20_000;
  server.maxRequestsPerSocket = 0;
}

/**
 * Closes a client's connection if the client reads none of its response for `stallMs`, unless
 * it has already received everything produced so far. Once the response is complete, Node restores
 * the timeout for idle connections.
 */
export function cutWhenUnread(response: ServerResponse, stallMs = STALL_MS): void {
  response.socket?.setTimeout(stallMs);
  response.on('timeout', cutIfUnread);
}

function cutIfUnread(socket: Socket): void {
  if (socket.writableLength > 0) socket.destroy();
}

/**
 * Ignores unknown `Expect` headers; Node would respond with 417 and without our headers. For
 * `Expect: 100-continue`, the body reader responds with 100; Node would respond too early.
 */
export function ignoreExpectations(server: Server): void {
  const handle: RequestHandler = (request, response) => server.emit('request', request, response);
  server.on('checkExpectation', handle);
  server.on('checkContinue', handle);
}

/**
 * Responds with 400 to messages that Node's parser refuses, such as unknown methods and malformed
 * or oversized headers, after all earlier requests on the connection have been answered.
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
  // Node emits the error again for every later chunk.
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
 * Browsers open connections in advance. An unused connection is closed without a response, because
 * the browser could take a 400 as the response to a request that it has just sent, and not retry it.
 */
function isUnused({ code }: NodeJS.ErrnoException, { bytesRead }: Socket): boolean {
  return code === 'ERR_HTTP_REQUEST_TIMEOUT' && bytesRead === 0;
}

/** @throws ListenError. Nest's `listen` is not used, because it would also log the error. */
export async function listen(server: Server, { host, port }: HttpOptions): Promise<void> {
  server.listen(port, host);
  try {
    await once(server, 'listening');
  } catch (error) {
    throw new ListenError(host, port, error as NodeJS.ErrnoException);
  }
}

/**
 * How long connections in use still get responses with `Connection: close`. If they were closed
 * immediately, requests that the client has just sent would be lost.
 */
const IDLE_GRACE_MS = 1000;

/** Accepts no new connections, finishes pending requests, and closes all after `patienceMs`. */
export async function closeServer(server: Server, patienceMs: number): Promise<void> {
  // An HTTP server's `close` method would close idle connections immediately.
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

import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Reply, ReplyAtOnce } from '../../common/request-handler';
import { isIdleSocket, type ParserListeners, takeOver } from './node-internals';
import { readPlainRequest } from './plain-request';
/** Requests from browsers have about 1 KB. */
const MAX_PLAIN_BYTES = 4096;
const G = 71;
const UNANSWERED_LOOK_MS = 5;

/**
 * Answers simple requests before Node parses them (docs/adr/0022): a complete GET in one chunk on a
 * connection without other requests. All other bytes go to Node unchanged, including the first
 * request on a connection and requests that `replyAtOnce` declines. Node's parser then always sees
 * complete messages, so that Node continues to manage timeouts, idle connections and their end.
 */
export class FastPath {
  /** Number of connections with an unfinished response. */
  unanswered = 0;
  /**
   * Read buffer for all connections; Node would allocate one per read. A connection with unread
   * bytes keeps at most one copy.
   */
  readonly bytes = Buffer.allocUnsafeSlow(8 * 1024);
  private stopped = false;
  private readonly connections = new WeakMap<Socket, Connection>();

  /** Create the fast path before the server listens. */
  constructor(
    server: Server,
    private readonly replyAtOnce: ReplyAtOnce,
  ) {
    server.on('connection', (socket: Socket) => {
      const connection = new Connection(this, socket, server.keepAliveTimeout);
      connection.parser = takeOver(socket, this.bytes, connection.receive);
      if (connection.parser === null) return;
      this.connections.set(socket, connection);
      socket.on('end', connection.receiveEnd);
    });
  }

  /** Whether `reply` will be used to answer the request; if not, Node handles the request. */
  answers(request: Parameters<ReplyAtOnce>[0], reply: Reply): boolean {
    try {
      return !this.stopped && this.replyAtOnce(request, reply);
    } catch {
      return false;
    }
  }

  isIdle(socket: Socket): boolean {
    return isIdleSocket(socket) && this.connections.get(socket)?.isWaiting !== true;
  }

  /**
   * Passes new requests to Node and waits for pending responses; Node would close their connections
   * because it considers them idle.
   */
  async stop(patienceMs: number): Promise<void> {
    this.stopped = true;
    const end = performance.now() + patienceMs;
    while (this.unanswered > 0 && performance.now() < end) await sleep(UNANSWERED_LOOK_MS);
  }
}

class Connection implements Reply {
  readonly keepAliveSeconds: number;
  /** Node's parser, which receives all bytes that are not answered here. */
  parser: ParserListeners | null = null;
  private waits = false;
  /** Bytes held until the response is written, because Node might answer them before it. */
  private held: Buffer[] = [];
  private ended = false;

  constructor(
    private readonly path: FastPath,
    private readonly socket: Socket,
    keepAliveMs: number,
  ) {
    this.keepAliveSeconds = Math.floor(keepAliveMs / 1000);
  }

  /** The buffer's content is valid until this function returns. */
  readonly receive = (count: number): void => {
    // After the last response, the client can send only a body that is not read.
    if (this.socket.writableEnded) return;
    if (!this.waits && this.answered(count)) return;
    const bytes = Buffer.from(this.path.bytes.subarray(0, count));
    if (this.waits) {
      this.held.push(bytes);
      this.socket.pause();
    } else {
      this.parser?.data(bytes);
    }
  };

  /** The client has closed its sending side, but may still wait for a response. */
  readonly receiveEnd = (): void => {
    if (this.waits) this.ended = true;
    else this.parser?.end();
  };

  get isWaiting(): boolean {
    return this.waits;
  }

  send(response: string): void {
    this.wait(false);
    if (!this.socket.writable) return;
    this.socket.write(response, 'latin1');
    if (this.held.length > 0) this.release();
    if (this.ended) this.parser?.end();
  }

  private answered(count: number): boolean {
    const { bytes } = this.path;
    if (count > MAX_PLAIN_BYTES || bytes[0] !== G || !isIdleSocket(this.socket)) return false;
    const request = readPlainRequest(bytes.toString('latin1', 0, count), this.socket);
    if (request === null) return false;
    this.wait(true);
    if (this.path.answers(request, this)) return true;
    this.wait(false);
    return false;
  }

  private wait(waits: boolean): void {
    this.waits = waits;
    this.path.unanswered += waits ? 1 : -1;
  }

  private release(): void {
    const held = this.held;
    this.held = [];
    this.socket.resume();
    for (const bytes of held) this.parser?.data(bytes);
  }
}

import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Reply, ReplyAtOnce } from '../../common/request-handler';
import { isIdleSocket, type ParserListeners, takeOver } from './node-internals';
import { readPlainRequest } from './plain-request';
/** Browsers send about 1 KB. */
const MAX_PLAIN_BYTES = 4096;
/** The first byte of a GET. */
const G = 71;
/** How often `stop` looks whether all is answered. */
const UNANSWERED_LOOK_MS = 5;

/**
 * Answers requests of the plainest form before Node's parser sees them (docs/adr/0022): a whole GET
 * in one piece, on a connection where nothing else is under way. All other bytes go to Node as they
 * came, also those of a request for which `replyAtOnce` is not enough, and those of the first request
 * of a connection. The parser stands between two messages whenever a request passes it by, so that
 * the connection remains Node's: its time-outs, its place among the idle ones, its end.
 */
export class FastPath {
  /** Connections that wait for the text of their response. */
  unanswered = 0;
  /**
   * The bytes of each read, of any connection; Node would make a buffer for each. A connection whose
   * body nobody has asked for yet holds no more than a copy of it in memory.
   */
  readonly bytes = Buffer.allocUnsafeSlow(8 * 1024);
  private stopped = false;
  private readonly connections = new WeakMap<Socket, Connection>();

  /** To be made before the server listens. */
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

  /** Whether the request will be answered by `reply`; what fails here is Node's to be told of. */
  answers(request: Parameters<ReplyAtOnce>[0], reply: Reply): boolean {
    try {
      return !this.stopped && this.replyAtOnce(request, reply);
    } catch {
      return false;
    }
  }

  /** Whether nothing is asked on a connection, neither here nor of Node. */
  isIdle(socket: Socket): boolean {
    return isIdleSocket(socket) && this.connections.get(socket)?.isWaiting !== true;
  }

  /**
   * Leaves all requests to Node from now on, and waits for the responses to those before. For the
   * server's end: connections that are waiting for a response here are idle ones to Node.
   */
  async stop(patienceMs: number): Promise<void> {
    this.stopped = true;
    const end = performance.now() + patienceMs;
    while (this.unanswered > 0 && performance.now() < end) await sleep(UNANSWERED_LOOK_MS);
  }
}

class Connection implements Reply {
  readonly keepAliveSeconds: number;
  /** Node's, to which everything goes that is not answered here. */
  parser: ParserListeners | null = null;
  private waits = false;
  /** Bytes that came before the response was written; Node might answer them first. */
  private held: Buffer[] = [];
  private ended = false;

  constructor(
    private readonly path: FastPath,
    private readonly socket: Socket,
    keepAliveMs: number,
  ) {
    this.keepAliveSeconds = Math.floor(keepAliveMs / 1000);
  }

  /** The first bytes of the path's buffer came; they are there until this returns. */
  readonly receive = (count: number): void => {
    // The last answer has been given: what still comes is a body that nobody reads.
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

  /** The client has said all it has to say; it may still wait for a response. */
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

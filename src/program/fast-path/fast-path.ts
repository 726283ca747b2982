import type { Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Reply, ReplyAtOnce } from '../../common/request-handler';
import { readPlainRequest } from './plain-request';
import { readInto } from './socket-reads';

/** What Node keeps about a connection of its http server, and tells in no other way. */
interface HttpSocket extends Socket {
  /** The response that is being written, null between two. */
  _httpMessage?: ServerResponse | null;
  /** Null once the connection is closed. */
  parser?: HttpParser | null;
}

interface HttpParser {
  /** For how long the message is being read that is under way; 0 between two messages. */
  duration?(): number;
}

type BytesListener = (bytes: Buffer) => void;
type EndListener = () => void;

/** Browsers send about 1 KB. */
const MOST_BYTES = 4096;
/** The first byte of a GET. */
const G = 71;
/** How often `stop` looks whether all is answered. */
const LOOK_MS = 5;

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
   * The bytes of each read, of any connection; Node would make a buffer for each. Of a body that
   * nobody has asked for yet, its copy is all that a connection holds in memory.
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
      const [parse, ...others] = socket.listeners('data') as BytesListener[];
      if (parse === undefined || others.length > 0) return;
      const end = socket.listeners('end').at(-1) as EndListener;
      const connection = new Connection(this, socket, parse, end, server.keepAliveTimeout);
      if (!readInto(socket, this.bytes, connection.receive)) return;
      this.connections.set(socket, connection);
      // Node ends a connection on which it knows of nothing to be answered.
      socket.removeListener('end', end);
      socket.on('end', connection.receiveEnd);
      // Node's parser reads from the system by itself until somebody listens once more.
      socket.on('data', parse);
      socket.removeListener('data', parse);
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
    return isIdle(socket) && this.connections.get(socket)?.isWaiting !== true;
  }

  /**
   * Leaves all requests to Node from now on, and waits for the responses to those before. For the
   * server's end: connections that are waiting for a response here are idle ones to Node.
   */
  async stop(patienceMs: number): Promise<void> {
    this.stopped = true;
    const end = performance.now() + patienceMs;
    while (this.unanswered > 0 && performance.now() < end) await sleep(LOOK_MS);
  }
}

class Connection implements Reply {
  readonly keepAliveSeconds: number;
  private waits = false;
  /** What came before the response was written; Node might answer it first. */
  private held: Buffer[] = [];
  private ended = false;

  constructor(
    private readonly path: FastPath,
    private readonly socket: HttpSocket,
    private readonly parse: BytesListener,
    private readonly end: EndListener,
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
      this.parse(bytes);
    }
  };

  /** The client has said all it has to say; it may still wait for a response. */
  readonly receiveEnd = (): void => {
    if (this.waits) this.ended = true;
    else this.end();
  };

  get isWaiting(): boolean {
    return this.waits;
  }

  send(response: string): void {
    this.wait(false);
    if (!this.socket.writable) return;
    this.socket.write(response, 'latin1');
    if (this.held.length > 0) this.release();
    if (this.ended) this.end();
  }

  private answered(count: number): boolean {
    const { bytes } = this.path;
    if (count > MOST_BYTES || bytes[0] !== G || !isIdle(this.socket)) return false;
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
    for (const bytes of held) this.parse(bytes);
  }
}

/** For how many ms a request has been read on this connection that is not whole yet; 0 without one. */
export function readingMs({ parser }: HttpSocket): number {
  return parser?.duration?.() ?? 0;
}

/** Whether all that came was read and answered, and the client has taken it. */
function isIdle(socket: HttpSocket): boolean {
  return (
    socket.parser?.duration?.() === 0 &&
    (socket._httpMessage ?? null) === null &&
    socket.writableLength === 0 &&
    socket.writable
  );
}

import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { RequestHandler } from '../../common/request-handler';
import { currentResponse } from './node-internals';

/** How many requests may wait behind the one that their connection is being answered. */
export interface PipelineLimits {
  perConnection: number;
  /** Over all connections of this process: each waiting request costs some kilobytes. */
  inTotal: number;
}

/** How long a client may take nothing of what was written to it. */
export const STALL_MS = 30_000;

const PIPELINE_LIMITS: PipelineLimits = { perConnection: 128, inTotal: 8192 };

/**
 * Hands the requests of a connection on one at a time, in the order in which they came.
 *
 * Node emits every pipelined request at once. A response that waits behind another one has no
 * socket yet and never hears that its connection closed, so that whatever its handler opened (a
 * file, a cursor) would stay open for good; and all of their bodies would be held in memory.
 */
export class Pipelining {
  /** The requests that wait, of the connections that ever pipelined. */
  private readonly waiting = new WeakMap<Socket, ServerResponse[]>();
  private total = 0;

  constructor(
    private readonly handle: RequestHandler,
    private readonly limits = PIPELINE_LIMITS,
    private readonly stallMs = STALL_MS,
  ) {}

  /** The listener for the server's `request` event. */
  readonly listener: RequestHandler = (request, response) => {
    // A response has its socket at once unless another one is under way there.
    if (response.socket !== null) this.handle(request, response);
    else this.wait(request, response);
  };

  /**
   * Runs `then` when everything that was asked on this connection so far has been answered: now if
   * nothing is under way. For a message that the parser refused, which is the last one there is.
   */
  afterAnswers(socket: Socket, then: () => void): void {
    const current = currentResponse(socket);
    const pending = current === null ? [] : [current, ...(this.waiting.get(socket) ?? [])];
    const last = pending.at(-1);
    // The refused bytes are the body of the last request: it cannot be answered any other way.
    if (last !== undefined && !last.req.complete && !last.headersSent) {
      pending.pop();
      this.withdraw(socket, last);
    }
    const before = pending.at(-1);
    if (before === undefined) then();
    else before.once('finish', then);
  }

  private wait(request: IncomingMessage, response: ServerResponse): void {
    const { socket } = request;
    // One chunk held it behind the request for which the connection was cut.
    if (socket.destroyed) return;
    const queue = this.waiting.get(socket) ?? this.open(socket);
    if (queue.length >= this.limits.perConnection || this.total >= this.limits.inTotal) {
      socket.destroy();
      return;
    }
    queue.push(response);
    this.total++;
    // Answers add up behind a client that does not read; Node lifts this when all are written.
    socket.setTimeout(this.stallMs);
    // Emitted in the middle of Node's own bookkeeping for the response before.
    response.once('socket', () => process.nextTick(() => this.handOn(socket, request, response)));
  }

  private open(socket: Socket): ServerResponse[] {
    const queue: ServerResponse[] = [];
    this.waiting.set(socket, queue);
    socket.once('close', () => {
      this.total -= queue.length;
      queue.length = 0;
    });
    return queue;
  }

  private handOn(socket: Socket, request: IncomingMessage, response: ServerResponse): void {
    if (this.withdraw(socket, response) && socket.writable) this.handle(request, response);
  }

  /** Takes a response out of the queue; false when it is not in it any more. */
  private withdraw(socket: Socket, response: ServerResponse): boolean {
    const queue = this.waiting.get(socket);
    const at = queue?.indexOf(response) ?? -1;
    if (at === -1) return false;
    queue?.splice(at, 1);
    this.total--;
    return true;
  }
}

import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { RequestHandler } from '../../common/request-handler';
import { currentResponse } from './node-internals';

/** Limits on requests that wait for an earlier response on their connection. */
export interface PipelineLimits {
  perConnection: number;
  /** Limit per process, because each waiting request takes a few kilobytes. */
  inTotal: number;
}

/** Time after which a client that reads none of a response is disconnected. */
export const STALL_MS = 30_000;

const PIPELINE_LIMITS: PipelineLimits = { perConnection: 128, inTotal: 8192 };

/**
 * Passes a connection's requests on in order, one at a time. Node emits all pipelined requests
 * immediately. A waiting response would not notice that its connection closes, so its files and
 * cursors would stay open, and all bodies would be held in memory.
 */
export class Pipelining {
  private readonly waiting = new WeakMap<Socket, ServerResponse[]>();
  private total = 0;

  constructor(
    private readonly handle: RequestHandler,
    private readonly limits = PIPELINE_LIMITS,
    private readonly stallMs = STALL_MS,
  ) {}

  readonly listener: RequestHandler = (request, response) => {
    // A response has no socket while another response is in progress on the connection.
    if (response.socket !== null) this.handle(request, response);
    else this.wait(request, response);
  };

  /** Call for a message that the parser refused; it is the last message on the connection. */
  afterAnswers(socket: Socket, then: () => void): void {
    const current = currentResponse(socket);
    const pending = current === null ? [] : [current, ...(this.waiting.get(socket) ?? [])];
    const last = pending.at(-1);
    // The refused bytes are the last request's body, which therefore gets no other response.
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
    // The connection was closed after an earlier request in the same chunk.
    if (socket.destroyed) return;
    const queue = this.waiting.get(socket) ?? this.open(socket);
    if (queue.length >= this.limits.perConnection || this.total >= this.limits.inTotal) {
      socket.destroy();
      return;
    }
    queue.push(response);
    this.total++;
    // Responses accumulate if the client does not read. Node resets the timeout after the last.
    socket.setTimeout(this.stallMs);
    // Waits for the next tick, because Node is still cleaning up the previous response.
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

  private withdraw(socket: Socket, response: ServerResponse): boolean {
    const queue = this.waiting.get(socket);
    const at = queue?.indexOf(response) ?? -1;
    if (at === -1) return false;
    queue?.splice(at, 1);
    this.total--;
    return true;
  }
}

import type { IncomingMessage, ServerResponse } from 'node:http';

export type RequestHandler = (request: IncomingMessage, response: ServerResponse) => void;

export type RequestHead = Pick<IncomingMessage, 'method' | 'url' | 'headers' | 'socket'>;

/** Output for a request without a ServerResponse. */
export interface Reply {
  /** Keep-alive timeout to announce in the response. */
  readonly keepAliveSeconds: number;
  /** Sends a complete ASCII response with its head; call once. */
  send(response: string): void;
}

/** Returns false without side effects if the request needs the full handler. */
export type ReplyAtOnce = (request: RequestHead, reply: Reply) => boolean;

/** Sends an error; supplied by the HTTP layer, which knows the error bodies. */
export type RefusalResponder = (
  request: IncomingMessage,
  response: ServerResponse,
  error: unknown,
) => void;

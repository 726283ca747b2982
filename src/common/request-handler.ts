import type { IncomingMessage, ServerResponse } from 'node:http';

export type RequestHandler = (request: IncomingMessage, response: ServerResponse) => void;

export type RequestHead = Pick<IncomingMessage, 'method' | 'url' | 'headers' | 'socket'>;

/** Output for a request without a ServerResponse. */
export interface Reply {
  /** Keep-alive timeout for the response header. */
  readonly keepAliveSeconds: number;
  /** Sends a complete ASCII response, including the head. Call once. */
  send(response: string): void;
}

/** Returns false without side effects if the request needs the full handler. */
export type ReplyAtOnce = (request: RequestHead, reply: Reply) => boolean;

/** Sends an error. Provided by the HTTP layer, which creates error bodies. */
export type RefusalResponder = (
  request: IncomingMessage,
  response: ServerResponse,
  error: unknown,
) => void;

import type { IncomingMessage, ServerResponse } from 'node:http';

/** A listener of the http server, as handlers are that stand ahead of Express. */
export type RequestHandler = (request: IncomingMessage, response: ServerResponse) => void;

/** A request without its body. */
export type RequestHead = Pick<IncomingMessage, 'method' | 'url' | 'headers' | 'socket'>;

/** The way back to whoever sent a request that has no ServerResponse. */
export interface Reply {
  /** How long the connection stays open without a request, as the response has to say. */
  readonly keepAliveSeconds: number;
  /** Sends one whole response of ASCII, its head included; to be called once. */
  send(response: string): void;
}

/**
 * Replies to a request without a body, at once or when its click is written; returns false, with
 * nothing done, where it takes more than that.
 */
export type ReplyAtOnce = (request: RequestHead, reply: Reply) => boolean;

/** Sends a refusal; the top joins it to the HTTP layer, which alone knows error bodies. */
export type RefusalResponder = (
  request: IncomingMessage,
  response: ServerResponse,
  error: unknown,
) => void;

import type { IncomingMessage, ServerResponse } from 'node:http';

/** A listener of the http server, as handlers are that stand ahead of Express. */
export type RequestHandler = (request: IncomingMessage, response: ServerResponse) => void;

/** Answers a refusal; the top joins it to the HTTP layer, which alone knows error bodies. */
export type RefusalResponder = (
  request: IncomingMessage,
  response: ServerResponse,
  error: unknown,
) => void;

import type { IncomingMessage, ServerResponse } from 'node:http';

/** A request that a link is to be resolved for. */
export interface RedirectRequest {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  /** Milliseconds since 1970-01-01 UTC at which the request arrived. */
  readonly at: number;
  /** The same moment on the monotonic clock. */
  readonly begun: number;
  /** Query of the visited short URL without `?`. */
  readonly query: string;
  /** 302 for the redirect, 303 after a password form. */
  readonly status: 302 | 303;
}

/** HEAD counts nothing, takes no slot and knows no bot rule (contract 7, 8.1). */
export function isCounted(visit: RedirectRequest): boolean {
  return visit.request.method !== 'HEAD';
}

export const RETRYABLE = 'curtail:retryable';

/** How a route is retried. */
export interface RetryableOptions {
  /** How many ids its request needs, one an item; 1 without it. The body has its shape already. */
  readonly items?: (body: never) => number;
  /** The field of an answer that is a secret: an answer that has it is stored sealed. */
  readonly secretField?: string;
}

/** An answer with another status than the one that its route declares. */
export class StatusAnswer<Body extends object> {
  constructor(
    readonly status: number,
    readonly body: Body,
  ) {}
}

export const RETRYABLE = 'curtail:retryable';

export interface RetryableOptions {
  /** Number of ids to reserve, one per item; default 1. The body is already validated. */
  readonly items?: (body: never) => number;
  /** Secret field of the answer; answers that contain it are stored sealed. */
  readonly secretField?: string;
}

/** An answer whose status differs from the one the route declares. */
export class StatusAnswer<Body extends object> {
  constructor(
    readonly status: number,
    readonly body: Body,
  ) {}
}

export const RETRYABLE = 'curtail:retryable';

export interface RetryableOptions {
  /** Returns the number of ids to reserve, one per item; default 1. The body is validated. */
  readonly items?: (body: never) => number;
  /** Secret field in the response. Responses with this field are stored encrypted. */
  readonly secretField?: string;
}

/** A response with a status other than the one that the route declares. */
export class StatusAnswer<Body extends object> {
  constructor(
    readonly status: number,
    readonly body: Body,
  ) {}
}

import { CurtailError } from '../core/errors';

/** 429 with the headers of contract 4.1; `hint` goes to anonymous callers only. */
export class RateLimitError extends CurtailError {
  constructor(retryAfterSeconds: number, hint?: string) {
    super(429, 'rate_limit_exceeded', 'Too many requests, try again later', {
      hint,
      headers: {
        'Retry-After': String(retryAfterSeconds),
        ...(hint === undefined ? {} : { 'X-Svc-Hint': hint }),
      },
    });
  }
}

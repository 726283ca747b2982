/** The delay between retries starts at `firstMs` and doubles up to `ceilingMs`. */
export interface BackoffOptions {
  firstMs: number;
  ceilingMs: number;
  /** The delay is reset after a run of at least this duration. */
  steadyMs: number;
}

export const CHILD_BACKOFF: BackoffOptions = {
  firstMs: 100,
  ceilingMs: 5_000,
  steadyMs: 30_000,
};

export class Backoff {
  private failures = 0;

  constructor(private readonly options: BackoffOptions) {}

  next(livedMs: number): number {
    if (livedMs >= this.options.steadyMs) this.failures = 0;
    const delay = this.options.firstMs * 2 ** this.failures;
    this.failures += 1;
    return Math.min(delay, this.options.ceilingMs);
  }
}

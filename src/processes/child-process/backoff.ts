/** How long to wait before each further try: `firstMs`, doubling up to `ceilingMs`. */
export interface BackoffOptions {
  firstMs: number;
  ceilingMs: number;
  /** A try that held at least this long starts the series anew. */
  steadyMs: number;
}

export const CHILD_BACKOFF: BackoffOptions = {
  firstMs: 100,
  ceilingMs: 5_000,
  steadyMs: 30_000,
};

/** The doubling wait between the lives of a process that keeps dying. */
export class Backoff {
  private failures = 0;

  constructor(private readonly options: BackoffOptions) {}

  /** The wait that follows a try which lived `livedMs`. */
  next(livedMs: number): number {
    if (livedMs >= this.options.steadyMs) this.failures = 0;
    const delay = this.options.firstMs * 2 ** this.failures;
    this.failures += 1;
    return Math.min(delay, this.options.ceilingMs);
  }
}

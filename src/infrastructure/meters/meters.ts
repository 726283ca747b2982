import { Injectable } from '@nestjs/common';

/** Time that this web process' database commands take, as the driver reports it. */
@Injectable()
export class DatabaseMeter {
  readonly durations = new Durations();
  failures = 0;
}

/** Counts the requests that this web process has answered 429, by the row of the limits table. */
@Injectable()
export class LimitMeter {
  private readonly refusals = new Map<string, number>();

  refused(row: string): void {
    this.refusals.set(row, (this.refusals.get(row) ?? 0) + 1);
  }

  figures(): Record<string, number> {
    return Object.fromEntries(this.refusals);
  }
}

/** Upper bounds of the buckets, in seconds; what is slower falls into the last, open one. */
export const BUCKET_SECONDS = [
  0.000_25, 0.000_5, 0.001, 0.002_5, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5,
] as const;

/** What a histogram holds, as plain JSON: one count a bucket (not cumulated), and the sum. */
export interface DurationFigures {
  counts: number[];
  sumSeconds: number;
}

/** A histogram of plain numbers: `observe` allocates nothing and is fit for the hot path. */
export class Durations {
  private readonly counts = new Float64Array(BUCKET_SECONDS.length + 1);
  private sumMs = 0;

  observe(ms: number): void {
    const seconds = ms / 1000;
    let bucket = 0;
    while (bucket < BUCKET_SECONDS.length && seconds > (BUCKET_SECONDS[bucket] ?? 0)) bucket++;
    this.counts[bucket] = (this.counts[bucket] ?? 0) + 1;
    this.sumMs += ms;
  }

  figures(): DurationFigures {
    return { counts: [...this.counts], sumSeconds: this.sumMs / 1000 };
  }
}

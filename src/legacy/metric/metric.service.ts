import { Injectable } from '@nestjs/common';
import { type MetricResponse, toMetricResponse } from './metric';
import { MetricRepository } from './metric.repository';

/** Contract 13.5: an answer is at most so old. */
const OLDEST_MS = 60_000;
/** Of the database's time at most a fiftieth goes into counting. */
const SHARE = 50;

interface Counted {
  readonly metric: MetricResponse;
  /** On the monotonic clock: when it must not be used any more. */
  readonly until: number;
}

/**
 * GET /metric from memory: on a small installation figures are counted afresh within the second,
 * on a big one, whose count takes longer, up to once a minute. Callers share a count under way.
 */
@Injectable()
export class MetricService {
  private counted: Counted | null = null;
  private counting: Promise<Counted> | null = null;

  constructor(private readonly repository: MetricRepository) {}

  async read(): Promise<MetricResponse> {
    if (this.counted !== null && performance.now() < this.counted.until) return this.counted.metric;
    this.counting ??= this.count().finally(() => (this.counting = null));
    return (await this.counting).metric;
  }

  private async count(): Promise<Counted> {
    const begun = performance.now();
    const metric = toMetricResponse(await this.repository.totals());
    const took = performance.now() - begun;
    this.counted = { metric, until: begun + Math.min(OLDEST_MS, took * SHARE) };
    return this.counted;
  }
}

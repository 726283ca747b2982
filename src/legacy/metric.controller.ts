import { Controller, Get, Injectable } from '@nestjs/common';
import { ApiOkResponse, ApiTags } from '@nestjs/swagger';
import { Access } from '../auth/access';
import { RateLimit } from '../auth/rate-limit/rate-limits';
import { Operation } from '../common/http/route.decorators';
import { LinkTotalReads } from '../stores/links/link-total-reads.repository';
import { MetricResponse, toMetricResponse } from './metric.response';

/** Maximum age of the figures (docs/contract.md#13.5). */
const METRIC_MAX_AGE_MS = 60_000;
/** Counting takes at most 1/50 of the time, so that it causes little load on the database. */
const SHARE = 50;

interface CountedMetric {
  readonly metric: MetricResponse;
  /** Expiry time on the monotonic clock. */
  readonly until: number;
}

/**
 * Counts again after at most a second on small installations, and after at most a minute on large
 * ones.
 */
@Injectable()
export class MetricService {
  private counted: CountedMetric | null = null;
  private counting: Promise<CountedMetric> | null = null;

  constructor(private readonly repository: LinkTotalReads) {}

  async read(): Promise<MetricResponse> {
    if (this.counted !== null && performance.now() < this.counted.until) return this.counted.metric;
    this.counting ??= this.count().finally(() => (this.counting = null));
    return (await this.counting).metric;
  }

  private async count(): Promise<CountedMetric> {
    const begun = performance.now();
    const metric = toMetricResponse(await this.repository.sums());
    const took = performance.now() - begun;
    this.counted = { metric, until: begun + Math.min(METRIC_MAX_AGE_MS, took * SHARE) };
    return this.counted;
  }
}

@ApiTags('Service')
@Controller('metric')
@Access.public()
@RateLimit.none()
export class MetricController {
  constructor(private readonly service: MetricService) {}

  @Get()
  @Operation({
    id: 'getTotals',
    summary: 'Read total links and clicks',
    description: 'Returns totals for the whole service, at most a minute old.',
  })
  @ApiOkResponse({ type: MetricResponse, description: 'The totals, exact and shortened' })
  read(): Promise<MetricResponse> {
    return this.service.read();
  }
}

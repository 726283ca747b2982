import { Controller, Get, Injectable } from '@nestjs/common';
import { ApiOkResponse, ApiProperty, ApiTags } from '@nestjs/swagger';
import { Access } from '../auth/access.decorator';
import { RateLimit } from '../auth/rate-limit/rate-limits';
import { Operation } from '../common/openapi/operation.decorator';
import { COUNT } from '../common/openapi/properties';
import { LinksRepository, type LinkSums } from '../stores/links/links.repository';

const SUFFIXES = ['', 'K', 'M', 'B', 'T', 'P'];

export class MetricResponse {
  @ApiProperty(COUNT) 'total-shortlinks-raw'!: number;
  @ApiProperty(COUNT) 'total-clicks-raw'!: number;
  @ApiProperty({ example: '999+' }) 'total-shortlinks'!: string;
  @ApiProperty({ example: '1K+' }) 'total-clicks'!: string;
}

function toMetricResponse({ links, clicks }: LinkSums): MetricResponse {
  return {
    'total-shortlinks-raw': links,
    'total-clicks-raw': clicks,
    'total-shortlinks': abbreviateCount(links),
    'total-clicks': abbreviateCount(clicks),
  };
}

/** `999+`, `1K+`, `12M+`: divides by 1000 while the result is at least 1, then truncates. */
export function abbreviateCount(count: number): string {
  let [value, step] = [count, 0];
  while (value >= 1000 && step < SUFFIXES.length - 1) {
    value /= 1000;
    step++;
  }
  return `${Math.trunc(value)}${SUFFIXES[step] ?? ''}+`;
}

/** Maximum age of the figures (docs/contract.md#13.5). */
const METRIC_MAX_AGE_MS = 60_000;
/** Counting takes at most 1/50 of the database's time. */
const SHARE = 50;

interface CountedMetric {
  readonly metric: MetricResponse;
  /** Expiry on the monotonic clock. */
  readonly until: number;
}

/** Recounts within a second on small installations, at least once a minute on large ones. */
@Injectable()
export class MetricService {
  private counted: CountedMetric | null = null;
  private counting: Promise<CountedMetric> | null = null;

  constructor(private readonly repository: LinksRepository) {}

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
    summary: 'Read totals of links and clicks',
    description: 'Totals of the whole service, at most a minute old.',
  })
  @ApiOkResponse({ type: MetricResponse, description: 'The sums, exact and shortened' })
  read(): Promise<MetricResponse> {
    return this.service.read();
  }
}

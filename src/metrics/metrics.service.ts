import { Injectable } from '@nestjs/common';
import { metricFamilies } from './metric-families';
import { WebMetricsService } from './web-metrics.service';

/** What GET /metrics answers: the whole machine, in Prometheus' text form. */
@Injectable()
export class MetricsService {
  constructor(private readonly figures: WebMetricsService) {}

  async expose(): Promise<string> {
    const families = metricFamilies(await this.figures.machine());
    // Loaded at the first scrape: most services are never scraped.
    const { AggregatorRegistry } = await import('prom-client');
    return AggregatorRegistry.aggregate([families]).metrics();
  }
}

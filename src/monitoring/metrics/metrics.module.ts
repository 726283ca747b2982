import { DynamicModule, Module } from '@nestjs/common';
import { JournalModule } from '../../clicks/journal/journal.module';
import type { MetricsOptions } from '../../config/options';
import { BlocklistModule } from '../../blocklists/blocklists.module';
import { LinkCacheModule } from '../../links/cache/link-cache.module';

@Module({})
export class MetricsModule {
  /** Adds the route and loads prom-client only with METRICS=true. */
  static async forRoot({ enabled }: MetricsOptions): Promise<DynamicModule> {
    if (!enabled) return { module: MetricsModule };
    const { MetricsController } = await import('./metrics.controller.js');
    const { MetricsService } = await import('./metrics.service.js');
    const { WebMetricsService } = await import('./web-metrics.service.js');
    return {
      module: MetricsModule,
      imports: [BlocklistModule, LinkCacheModule, JournalModule],
      controllers: [MetricsController],
      providers: [WebMetricsService, MetricsService],
    };
  }
}

import { DynamicModule, Module } from '@nestjs/common';
import { JournalModule } from '../../clicks/journal/journal.module';
import type { MetricsOptions } from '../../config/options';
import { MetersModule } from '../../infrastructure/meters/meters.module';
import { BlocklistModule } from '../../blocklists/blocklists.module';
import { LinkCacheModule } from '../../links/cache/link-cache.module';

@Module({})
export class MetricsModule {
  /** Without METRICS=true, there is no route and prom-client is not loaded. */
  static async forRoot({ enabled }: MetricsOptions): Promise<DynamicModule> {
    if (!enabled) return { module: MetricsModule };
    const { MetricsController } = await import('./metrics.controller.js');
    const { MetricsService } = await import('./metrics.service.js');
    const { WebMetricsService } = await import('./web-metrics.service.js');
    return {
      module: MetricsModule,
      imports: [BlocklistModule, LinkCacheModule, JournalModule, MetersModule],
      controllers: [MetricsController],
      providers: [WebMetricsService, MetricsService],
    };
  }
}

import { DynamicModule, Module } from '@nestjs/common';
import type { MetricsOptions } from '../config/options';
import { LinkCacheModule } from '../links/link-cache.module';
import { JournalModule } from '../clicks/journal/journal.module';
import { MetersModule } from '../infrastructure/meters/meters.module';
import { PrimaryModule } from '../runtime/ipc/primary-client';
import { MetricsController } from './metrics.controller';
import { MetricsService } from './metrics.service';
import { WebMetricsService } from './web-metrics.service';

@Module({})
export class MetricsModule {
  /** Without METRICS=true there is no such route. */
  static of({ enabled }: MetricsOptions): DynamicModule {
    if (!enabled) return { module: MetricsModule };
    return {
      module: MetricsModule,
      imports: [JournalModule, LinkCacheModule, MetersModule, PrimaryModule],
      controllers: [MetricsController],
      providers: [WebMetricsService, MetricsService],
    };
  }
}

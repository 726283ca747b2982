import { Module } from '@nestjs/common';
import { AnalyticsModule } from '../analytics/analytics.module';
import { LinksModule } from '../links/links.module';
import { TagsModule } from '../links/tags/tags.module';
import { HealthModule } from '../monitoring/health/health.module';
import { DomainStoreModule } from '../stores/domains/domain-store.module';
import { CompatibleLinksService } from './compatible-links.service';
import { KuttStatisticsService } from './kutt/kutt-statistics.service';
import { KuttController } from './kutt/kutt.controller';
import { KuttService } from './kutt/kutt.service';
import { ShlinkController, ShlinkHealthController } from './shlink/shlink.controller';
import { ShlinkService } from './shlink/shlink.service';
import { YourlsController } from './yourls/yourls.controller';
import { YourlsService } from './yourls/yourls.service';

/** The APIs of other shorteners, for their clients (docs/contract.md#35). */
@Module({
  imports: [AnalyticsModule, DomainStoreModule, HealthModule, LinksModule, TagsModule],
  // ShlinkController ends with a route for all unknown paths.
  controllers: [YourlsController, KuttController, ShlinkHealthController, ShlinkController],
  providers: [
    CompatibleLinksService,
    KuttService,
    KuttStatisticsService,
    ShlinkService,
    YourlsService,
  ],
})
export class CompatibilityModule {}

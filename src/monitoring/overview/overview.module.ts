import { Module } from '@nestjs/common';
import { AnalyticsModule } from '../../analytics/analytics.module';
import { DomainStoreModule } from '../../stores/domains/domain-store.module';
import { LinksModule } from '../../links/links.module';
import { OverviewController } from './overview.controller';
import { OverviewService } from './overview.service';

@Module({
  imports: [AnalyticsModule, DomainStoreModule, LinksModule],
  controllers: [OverviewController],
  providers: [OverviewService],
})
export class OverviewModule {}

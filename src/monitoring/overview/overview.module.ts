import { Module } from '@nestjs/common';
import { AnalyticsModule } from '../../analytics/analytics.module';
import { AddressModule } from '../../infrastructure/client-address/client-address';
import { DomainStoreModule } from '../../stores/domains/domain-store.module';
import { LinksModule } from '../../links/links.module';
import { OverviewController } from './overview.controller';
import { OverviewService } from './overview.service';

/** An account at a glance (docs/contract.md#18.3). */
@Module({
  imports: [AddressModule, AnalyticsModule, DomainStoreModule, LinksModule],
  controllers: [OverviewController],
  providers: [OverviewService],
})
export class OverviewModule {}

import { Module } from '@nestjs/common';
import { LinkCacheModule } from '../links/lookup/lookup.module';
import { LinkPasswordVerifierModule } from '../unlock/password-gate.module';
import { StatisticsEngine } from './engine/statistics-engine';
import { StatisticsThread } from './engine/statistics-thread';
import { ExportController } from './export/export.controller';
import { ExportService } from './export/export.service';
import { AllTimeStatisticsService } from './lifetime.service';
import { PublicStatisticsController } from './public-statistics.controller';
import { StatisticsController } from './statistics.controller';
import { StatisticsService } from './statistics.service';
import { AccountScopes } from './subject/account-subjects';
import { LinkScopes } from './subject/link-subjects';
import { OwnedLinksRepository } from './subject/owned-links.repository';
import { PublicScopes } from './subject/public-subjects';

@Module({
  imports: [LinkCacheModule, LinkPasswordVerifierModule],
  controllers: [StatisticsController, PublicStatisticsController, ExportController],
  providers: [
    StatisticsThread,
    StatisticsEngine,
    AllTimeStatisticsService,
    StatisticsService,
    ExportService,
    AccountScopes,
    LinkScopes,
    PublicScopes,
    OwnedLinksRepository,
  ],
  exports: [AllTimeStatisticsService],
})
export class AnalyticsModule {}

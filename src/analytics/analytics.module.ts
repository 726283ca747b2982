import { Module } from '@nestjs/common';
import { DomainStoreModule } from '../stores/domains/domain-store.module';
import { FilesModule } from '../infrastructure/files/files.module';
import { ImportedCountsModule } from '../stores/imported-counts/imported-counts.module';
import { LinkCacheModule } from '../links/cache/link-cache.module';
import { ProcessStatisticsEngine } from './statistics-process/process-statistics-engine';
import { StatisticsClientPipe } from './engine/statistics-client.decorator';
import { StatisticsEngine } from './engine/statistics-engine';
import { ExportController } from './export/export.controller';
import { ExportService } from './export/export.service';
import { ImportedClicksService } from './report/imported-clicks.service';
import { LinkStatisticsService } from './link-statistics.service';
import { PublicStatisticsController } from './public-statistics.controller';
import { AudienceClicksService } from './audience-clicks.service';
import { RecentClicksService } from './recent-clicks.service';
import { StatisticsController } from './statistics.controller';
import { StatisticsService } from './statistics.service';
import { AccountScopes, LinkScopes, PublicScopes } from './scope/scopes';
import { LinkPasswordVerifierModule } from '../redirect/link-password/link-password-verifier.module';

@Module({
  imports: [
    DomainStoreModule,
    FilesModule,
    ImportedCountsModule,
    LinkCacheModule,
    LinkPasswordVerifierModule,
  ],
  controllers: [StatisticsController, PublicStatisticsController, ExportController],
  providers: [
    { provide: StatisticsEngine, useClass: ProcessStatisticsEngine },
    ImportedClicksService,
    AudienceClicksService,
    LinkStatisticsService,
    StatisticsClientPipe,
    StatisticsService,
    ExportService,
    RecentClicksService,
    AccountScopes,
    LinkScopes,
    PublicScopes,
  ],
  exports: [
    AudienceClicksService,
    LinkStatisticsService,
    RecentClicksService,
    StatisticsClientPipe,
  ],
})
export class AnalyticsModule {}

import { Module } from '@nestjs/common';
import { LookupModule } from '../links/lookup/lookup.module';
import { PasswordGateModule } from '../unlock/password-gate.module';
import { StatisticsEngine } from './engine/statistics-engine';
import { StatisticsThread } from './engine/statistics-thread';
import { ExportController } from './export/export.controller';
import { ExportService } from './export/export.service';
import { LifetimeService } from './lifetime.service';
import { PublicStatisticsController } from './public-statistics.controller';
import { StatisticsController } from './statistics.controller';
import { StatisticsService } from './statistics.service';
import { AccountSubjects } from './subject/account-subjects';
import { LinkSubjects } from './subject/link-subjects';
import { OwnedLinksRepository } from './subject/owned-links.repository';
import { PublicSubjects } from './subject/public-subjects';

@Module({
  imports: [LookupModule, PasswordGateModule],
  controllers: [StatisticsController, PublicStatisticsController, ExportController],
  providers: [
    StatisticsThread,
    StatisticsEngine,
    LifetimeService,
    StatisticsService,
    ExportService,
    AccountSubjects,
    LinkSubjects,
    PublicSubjects,
    OwnedLinksRepository,
  ],
  exports: [LifetimeService],
})
export class AnalyticsModule {}

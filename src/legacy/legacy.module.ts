import { Module } from '@nestjs/common';
import { AnalyticsModule } from '../analytics/analytics.module';
import { FilesModule } from '../infrastructure/files/files.module';
import { LinksModule } from '../links/links.module';
import { PagesModule } from '../pages/pages.module';
import { LegacyExportController } from './export/legacy-export.controller';
import { LegacyExportService } from './export/legacy-export.service';
import { HomeController } from './home/home.controller';
import { MetricController, MetricService } from './metric.controller';
import { ResultController, ResultService } from './result/result.controller';
import { LegacyShortenController } from './shorten/legacy-shorten.controller';
import { LegacyShortenService } from './shorten/legacy-shorten.service';
import { StatisticsPageService } from './stats-page/statistics-page.service';
import {
  LegacyStatsController,
  StatisticsDownloadController,
  StatsFormController,
} from './stats/legacy-stats.controller';
import { LegacyStatsService, PublicLinksService } from './stats/legacy-stats.service';
import { StatisticsPass } from './stats/statistics-request';
import { LinkPasswordVerifierModule } from '../redirect/link-password/link-password-verifier.module';

/** The v0 API (docs/contract.md#13), a second interface to the same links and statistics. */
@Module({
  imports: [AnalyticsModule, FilesModule, LinksModule, LinkPasswordVerifierModule, PagesModule],
  controllers: [
    LegacyShortenController,
    StatsFormController,
    LegacyStatsController,
    StatisticsDownloadController,
    LegacyExportController,
    MetricController,
    HomeController,
    ResultController,
  ],
  providers: [
    LegacyExportService,
    LegacyShortenService,
    LegacyStatsService,
    MetricService,
    PublicLinksService,
    ResultService,
    StatisticsPageService,
    StatisticsPass,
  ],
})
export class LegacyModule {}

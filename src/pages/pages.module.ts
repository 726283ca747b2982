import { Module } from '@nestjs/common';
import { AnalyticsModule } from '../analytics/analytics.module';
import { LinkCacheModule } from '../links/link-cache.module';
import { HomeController } from './home.controller';
import { PreviewController, PreviewService } from './preview.controller';
import { ResultController, ResultService } from './result.controller';
import { SecurityTxtController, SecurityTxtService } from './security-txt.controller';
import { LinkPagesService } from './link-pages.service';
import { StatisticsPageService } from './statistics/statistics-page.service';
import { StaticController } from './static.controller';

@Module({
  imports: [AnalyticsModule, LinkCacheModule],
  controllers: [
    HomeController,
    ResultController,
    StaticController,
    SecurityTxtController,
    PreviewController,
  ],
  providers: [
    PreviewService,
    ResultService,
    SecurityTxtService,
    LinkPagesService,
    StatisticsPageService,
  ],
  exports: [StatisticsPageService],
})
export class PagesModule {}

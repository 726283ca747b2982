import { DynamicModule, Module } from '@nestjs/common';
import { APP_FILTER, APP_PIPE } from '@nestjs/core';
import { AdministrationModule } from './moderation/administration/administration.module';
import { AccountsModule } from './accounts/accounts.module';
import { ApiKeysModule } from './api-keys/api-keys.module';
import { AuthModule } from './auth/auth.module';
import { ApiDescriptionController } from './api-description/api-description.controller';
import { ApiDescriptionService } from './api-description/api-description.service';
import { AnalyticsModule } from './analytics/analytics.module';
import { CompatibilityModule } from './compatibility/compatibility.module';
import { ConfigModule } from './config/config.module';
import type { Runtime } from './config/options';
import type { Settings } from './config/settings';
import type { AppLog } from './common/log';
import { DashboardModule } from './pages/dashboard/dashboard.module';
import { AccountExportsModule } from './account-life/export/account-exports.module';
import { EmailChangeModule } from './account-life/email-change/email-change.module';
import { DomainsModule } from './domains/domains.module';
import { HealthModule } from './monitoring/health/health.module';
import { AppExceptionFilter } from './common/http/exception.filter';
import { RequestValidationPipe } from './common/http/validation.pipe';
import { ImportsModule } from './imports/imports.module';
import { JobsModule } from './jobs/jobs.module';
import { LegacyModule } from './legacy/legacy.module';
import { LinksModule } from './links/links.module';
import { ByAddressModule } from './links/by-address.module';
import { OauthModule } from './oauth/oauth.module';
import { OverviewModule } from './monitoring/overview/overview.module';
import { PagesModule } from './pages/pages.module';
import { ReportsModule } from './moderation/reports/reports.module';
import { QrModule } from './qr/qr.module';
import { MetricsModule } from './monitoring/metrics/metrics.module';
import { LoggingModule } from './infrastructure/logging/logging.module';
import { MongoModule } from './infrastructure/mongo/mongo.module';
import { ProcessModule } from './infrastructure/process.module';
import { RequestBodiesModule } from './infrastructure/request-bodies/request-bodies.module';
import { UtmModule } from './links/utm/utm.module';
import { RedirectModule } from './redirect/redirect.module';
import { TagsModule } from './links/tags/tags.module';
import { LinkPasswordModule } from './redirect/link-password/link-password.module';
import { ResolveModule } from './redirect/resolve/resolve.module';

/**
 * The layers come first, then feature modules in any order, except that the last must stay last.
 */
@Module({})
export class AppModule {
  static forRoot(settings: Settings, runtime: Runtime, log: AppLog): DynamicModule {
    return {
      module: AppModule,
      controllers: [ApiDescriptionController],
      providers: [
        ApiDescriptionService,
        { provide: APP_FILTER, useClass: AppExceptionFilter },
        { provide: APP_PIPE, useClass: RequestValidationPipe },
      ],
      imports: [
        ConfigModule.forRoot(settings, runtime),
        LoggingModule.forRoot(log),
        MongoModule,
        ProcessModule,
        RequestBodiesModule,
        AuthModule,
        AccountsModule,
        AccountExportsModule,
        EmailChangeModule,
        AdministrationModule,
        ApiKeysModule,
        CompatibilityModule,
        DashboardModule,
        DomainsModule,
        HealthModule,
        ImportsModule,
        JobsModule,
        MetricsModule.forRoot(settings.metrics),
        LinksModule,
        AnalyticsModule,
        LegacyModule,
        OauthModule,
        OverviewModule,
        PagesModule,
        QrModule,
        RedirectModule,
        ReportsModule,
        ResolveModule,
        TagsModule,
        UtmModule,
        LinkPasswordModule,
        ByAddressModule,
      ],
    };
  }
}

import { DynamicModule, Module } from '@nestjs/common';
import { AuthModule } from './auth/auth.module';
import { AnalyticsModule } from './analytics/analytics.module';
import { LinkClicksModule } from './clicks/store/link-clicks.deleter';
import { ConfigModule } from './config/config.module';
import type { Runtime } from './config/environment.schema';
import type { Settings } from './config/settings';
import type { AppLog } from './common/log';
import { HealthModule } from './health/health.module';
import { HttpModule } from './common/http/http.module';
import { IdentityModule } from './identity';
import { LegacyModule } from './legacy/legacy.module';
import { LinksModule } from './links/links.module';
import { OauthModule } from './oauth/oauth.module';
import { PagesModule } from './pages/pages.module';
import { MetricsModule } from './metrics/metrics.module';
import { LoggingModule } from './infrastructure/logging/logging.module';
import { MongoModule } from './infrastructure/mongo/mongo.module';
import { DependencyIndicators } from './health/health-indicators';
import { RedirectModule } from './redirect/redirect.module';
import { LinkPasswordModule } from './redirect/link-password/link-password.module';

/** The application: layers first, then the feature modules; `/{code}` routes come last (docs/contract.md#15). */
@Module({})
export class AppModule {
  static forRoot(settings: Settings, runtime: Runtime, log: AppLog): DynamicModule {
    return {
      module: AppModule,
      imports: [
        ConfigModule.forRoot(settings, runtime),
        LoggingModule.forRoot(log),
        MongoModule,
        IdentityModule,
        AuthModule,
        HttpModule,
        HealthModule.of(DependencyIndicators),
        LinkClicksModule,
        MetricsModule.of(settings.metrics),
        LinksModule,
        AnalyticsModule,
        LegacyModule,
        OauthModule,
        PagesModule,
        RedirectModule,
        LinkPasswordModule,
      ],
    };
  }
}

import { DynamicModule, Module } from '@nestjs/common';
import { AuthModule } from './access/access.module';
import { AnalyticsModule } from './analytics/analytics.module';
import { LinkClicksModule } from './clicks-of-links.module';
import { ConfigModule } from './config/config.module';
import type { Runtime } from './config/environment';
import type { Settings } from './config/settings';
import type { AppLog } from './core/log';
import { HealthModule } from './health/health.module';
import { HttpModule } from './http/http.module';
import { IdentityModule } from './identity.module';
import { LegacyModule } from './legacy/legacy.module';
import { LinksModule } from './links/links.module';
import { OauthModule } from './oauth/oauth.module';
import { PagesModule } from './pages/pages.module';
import { MetricsModule } from './metrics/metrics.module';
import { AddressModule } from './platform/address/address.module';
import { ChangeBusModule } from './platform/bus/bus.module';
import { LoggingModule } from './platform/logging/logging.module';
import { MetersModule } from './platform/meters/meters.module';
import { MongoModule } from './platform/mongo/mongo.module';
import { RateLimitStoreModule } from './platform/windows/windows.module';
import { DependencyIndicators } from './probes';
import { RedirectModule } from './redirect/redirect.module';
import { LinkPasswordModule } from './unlock/unlock.module';

/** The house: floors first, then the feature rooms; `/{code}` routes come last (contract 15). */
@Module({})
export class AppModule {
  static of(settings: Settings, runtime: Runtime, log: AppLog): DynamicModule {
    return {
      module: AppModule,
      imports: [
        ConfigModule.of(settings, runtime),
        LoggingModule.of(log),
        AddressModule,
        ChangeBusModule,
        MetersModule,
        MongoModule,
        RateLimitStoreModule,
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

import { DynamicModule, Global, Module } from '@nestjs/common';
import {
  AdministrationOptions,
  AliasOptions,
  AppLinksOptions,
  BlocklistOptions,
  ClickHomeOptions,
  DataOptions,
  DomainOptions,
  GeoOptions,
  HttpOptions,
  ImportFileOptions,
  LinkCacheOptions,
  LogOptions,
  MailOptions,
  MetricsOptions,
  MongoOptions,
  OauthOptions,
  OutboundOptions,
  RedisOptions,
  type Runtime,
  SecurityContactOptions,
  SiteOptions,
  StatisticsOptions,
  TokenOptions,
} from './options';
import { Settings } from './settings';

@Global()
@Module({})
export class ConfigModule {
  static forRoot(settings: Settings, runtime: Runtime): DynamicModule {
    const providers = [
      { provide: HttpOptions, useValue: settings.http },
      { provide: DataOptions, useValue: settings.data },
      {
        provide: MongoOptions,
        useValue: { uri: runtime.mongoUri, embedded: settings.mongoUri === null },
      },
      { provide: ClickHomeOptions, useValue: { clickHouse: settings.clickHouse } },
      { provide: RedisOptions, useValue: settings.redis },
      { provide: TokenOptions, useValue: runtime },
      { provide: MailOptions, useValue: settings.mail },
      { provide: OauthOptions, useValue: settings.oauth },
      { provide: GeoOptions, useValue: settings.geo },
      { provide: AliasOptions, useValue: settings.aliases },
      { provide: LinkCacheOptions, useValue: settings.linkCache },
      { provide: StatisticsOptions, useValue: settings.statistics },
      { provide: BlocklistOptions, useValue: settings.blocklist },
      { provide: ImportFileOptions, useValue: settings.imports },
      { provide: LogOptions, useValue: settings.log },
      { provide: MetricsOptions, useValue: settings.metrics },
      { provide: DomainOptions, useValue: settings.domains },
      { provide: OutboundOptions, useValue: settings.outbound },
      { provide: SiteOptions, useValue: settings.site },
      { provide: AdministrationOptions, useValue: settings.administration },
      { provide: SecurityContactOptions, useValue: settings.security },
      { provide: AppLinksOptions, useValue: settings.appLinks },
    ];
    return { module: ConfigModule, providers, exports: providers };
  }
}

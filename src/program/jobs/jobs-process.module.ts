import { DynamicModule, Global, Module, type Type } from '@nestjs/common';
import { DiscoveryModule, DiscoveryService } from '@nestjs/core';
import {
  AliasOptions,
  BlocklistOptions,
  ClickHomeOptions,
  DataOptions,
  HttpOptions,
  ImportFileOptions,
  type JobsSettings,
  LinkCacheOptions,
  MailOptions,
  MetricsOptions,
  MongoOptions,
  OutboundOptions,
  RecordingOptions,
  RedisOptions,
  SiteOptions,
  TokenOptions,
} from '../../config/options';
import type { AppLog } from '../../common/log';
import { JobKind } from '../../infrastructure/jobs/job-kind';
import type { JobTimes } from '../../infrastructure/jobs/job-run';
import { JobRunner } from '../../infrastructure/jobs/job-runner';
import { JobsRepository } from '../../infrastructure/jobs/jobs.repository';
import { JobsRepositoryModule } from '../../infrastructure/jobs/jobs.module';
import { LoggingModule } from '../../infrastructure/logging/logging.module';
import { MongoModule } from '../../infrastructure/mongo/mongo.module';
import { OutboundModule } from '../../infrastructure/outbound/outbound.module';
import { ProcessModule } from '../../infrastructure/process.module';
import { SealedValuesModule } from '../../infrastructure/sealed-values/sealed-values.module';
import { ChildPrimaryClient } from '../../processes/rpc/primary-client';

@Global()
@Module({})
class JobsSettingsModule {
  static forRoot(settings: JobsSettings, primary: ChildPrimaryClient): DynamicModule {
    const { mongo, jwtSecret, allowedNetworks, baseUrl, blocklist, redisUrl } = settings;
    const { aliases, dataDir, imports, mail, siteName } = settings;
    const providers = [
      { provide: MongoOptions, useValue: mongo },
      { provide: TokenOptions, useValue: { secret: jwtSecret } },
      { provide: OutboundOptions, useValue: { allowedNetworks } },
      { provide: RecordingOptions, useValue: settings },
      { provide: ClickHomeOptions, useValue: settings },
      // The process serves no requests, but links need the server's address.
      { provide: HttpOptions, useValue: { baseUrl } },
      { provide: BlocklistOptions, useValue: blocklist },
      { provide: RedisOptions, useValue: { url: redisUrl } },
      { provide: ChildPrimaryClient, useValue: primary },
      { provide: DataOptions, useValue: { dir: dataDir } },
      { provide: ImportFileOptions, useValue: imports },
      { provide: AliasOptions, useValue: aliases },
      // Jobs publish changes to links, but read few links through the cache.
      { provide: LinkCacheOptions, useValue: { memoryMb: 1 } },
      { provide: MailOptions, useValue: mail },
      { provide: SiteOptions, useValue: { name: siteName } },
      { provide: MetricsOptions, useValue: { enabled: false } },
    ];
    return { module: JobsSettingsModule, providers, exports: providers };
  }
}

@Global()
@Module({
  imports: [OutboundModule, ProcessModule, SealedValuesModule],
  exports: [OutboundModule, SealedValuesModule],
})
class JobToolsModule {}

export interface JobsProcessOptions {
  readonly kinds: readonly Type[];
  readonly times: JobTimes;
  readonly primary: ChildPrimaryClient;
  readonly log: AppLog;
}

@Module({})
export class JobsProcessModule {
  static forRoot(
    settings: JobsSettings,
    { kinds, times, primary, log }: JobsProcessOptions,
  ): DynamicModule {
    return {
      module: JobsProcessModule,
      imports: [
        JobsSettingsModule.forRoot(settings, primary),
        LoggingModule.forRoot(log),
        MongoModule,
        DiscoveryModule,
        JobToolsModule,
        JobsRepositoryModule,
        ...kinds,
      ],
      providers: [
        {
          provide: JobRunner,
          inject: [JobsRepository, DiscoveryService],
          useFactory: (jobs: JobsRepository, discovery: DiscoveryService) =>
            new JobRunner({
              jobs,
              kinds: () => findJobKinds(discovery),
              dataDir: settings.dataDir,
              times,
              log,
            }),
        },
      ],
    };
  }
}

function findJobKinds(discovery: DiscoveryService): JobKind[] {
  return discovery
    .getProviders()
    .map(({ instance }): unknown => instance)
    .filter((instance) => instance instanceof JobKind);
}

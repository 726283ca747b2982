import { type DynamicModule, Global, Module, type Provider, type Type } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { getConnectionToken } from '@nestjs/mongoose';
import { AccountStoreModule } from '../../accounts/account-store.module';
import { AccountsRepository } from '../../accounts/account/accounts.repository';
import { AdminsService } from '../../accounts/admin-role/admins.service';
import { ClosedAccounts } from '../../accounts/closing/closed-accounts';
import { OneTimeCodesService } from '../../accounts/codes/one-time-codes.service';
import { AccountDeletionService } from '../../accounts/deletion/account-deletion.service';
import { AccountMailsService } from '../../accounts/mails/account-mails.service';
import { SuspensionService } from '../../accounts/suspension/suspension.service';
import { ApiKeyStoreModule } from '../../api-keys/api-key-store.module';
import { AuditTrailModule } from '../../audit-trail/audit-trail.module';
import { BlockedDestinations } from '../../blocklists/blocked-destinations';
import { StoredHosts } from '../../blocklists/hosts/stored-hosts';
import { ClickDaysRepository } from '../../clicks/store/click-days.repository';
import { ClickStoreModule } from '../../clicks/store/click-store.module';
import { BackgroundTasks } from '../../common/background-tasks';
import { AppLog } from '../../common/log';
import { ConfigModule } from '../../config/config.module';
import type { MongoOptions } from '../../config/options';
import type { Settings } from '../../config/settings';
import { DomainMailsService, DomainSharingService } from '../../domains/domain-mails.service';
import { ChangeBus } from '../../infrastructure/change-bus/bus';
import { CommandBus } from '../../infrastructure/change-bus/command-bus';
import { CommandChangesRepository } from '../../infrastructure/change-bus/command-changes.repository';
import { JobStarter } from '../../infrastructure/jobs/job-starter';
import { JobsRepositoryModule } from '../../infrastructure/jobs/jobs.module';
import { LoggingModule } from '../../infrastructure/logging/logging.module';
import { MAIL_MS, MailSender, Outbox } from '../../infrastructure/mail/mail-sender';
import { MailModule } from '../../infrastructure/mail/mail.module';
import { DatabaseFactsRepository } from '../../infrastructure/mongo/database-facts.repository';
import { DatabaseLeases } from '../../infrastructure/mongo/database-leases.repository';
import { LastBackupRepository } from '../../infrastructure/mongo/last-backup.repository';
import { onConnection } from '../../infrastructure/mongo/stores';
import { DatabaseReadiness } from '../../infrastructure/mongo/write-barrier';
import { MemoryRateLimitStore } from '../../infrastructure/rate-limit-store/memory.rate-limit-store';
import { RateLimitStore } from '../../infrastructure/rate-limit-store/rate-limit-store';
import { LinkBlockingService } from '../../links/blocking/link-blocking.service';
import { LinkCacheModule } from '../../links/cache/link-cache.module';
import { LinkItemsService } from '../../links/making/link-items.service';
import { LinkRemover } from '../../links/removal/link-remover';
import {
  AccountSearchService,
  AdminAccountsService,
} from '../../moderation/administration/accounts/admin-accounts.service';
import { AuditTrailReadingService } from '../../moderation/administration/audit-trail-reading.service';
import { BlockedHostsService } from '../../moderation/administration/hosts/blocked-hosts.service';
import { AdminDomainsService } from '../../moderation/administration/domains/admin-domains.service';
import { AdminJobsService } from '../../moderation/administration/jobs/admin-jobs.service';
import { AdminLinksService } from '../../moderation/administration/links/admin-links.service';
import { ListsService } from '../../moderation/administration/lists/lists.service';
import { AdminOverviewService } from '../../moderation/administration/overview/overview.service';
import { AdminReportsService } from '../../moderation/administration/reports/admin-reports.service';
import { ReportStoreModule } from '../../moderation/reports/report-store.module';
import { LocalPrimaryClient, PrimaryClient } from '../../processes/rpc/primary-client';
import { BlockedHostStoreModule } from '../../stores/blocked-hosts/blocked-host-store.module';
import { DomainRegistry } from '../../stores/domains/domain-registry';
import { DomainStoreModule } from '../../stores/domains/domain-store.module';
import { LinkAddresses } from '../../stores/domains/link-addresses';
import { LinkReads } from '../../stores/links/link-reads.repository';
import { ImportedCountsModule } from '../../stores/imported-counts/imported-counts.module';
import { TagStoreModule } from '../../stores/tags/tag-store.module';
import { SetupLinksService, SignInLinksService } from '../../accounts/setup/setup-links.service';
import { existingSigningSecret } from '../secret';
import type { DatabaseConnection } from './own-database';

const COMMAND_SERVICES = {
  links: AdminLinksService,
  trail: AuditTrailReadingService,
  accounts: AccountSearchService,
  accountActs: AdminAccountsService,
  overview: AdminOverviewService,
  reports: AdminReportsService,
  lists: ListsService,
  hosts: BlockedHostsService,
  domains: AdminDomainsService,
  jobs: AdminJobsService,
  storedAccounts: AccountsRepository,
  storedLinks: LinkReads,
  addresses: LinkAddresses,
  setupLinks: SetupLinksService,
  signInLinks: SignInLinksService,
} as const;

type CommandServices = {
  readonly [Name in keyof typeof COMMAND_SERVICES]: InstanceType<(typeof COMMAND_SERVICES)[Name]>;
};

export interface AdminServices extends CommandServices {
  readonly baseUrl: string;
  /** Reads the blocklist files; no other function here reads them. */
  readonly readListFiles: () => Promise<void>;
}

const nothing = (): void => undefined;
/** Logs nothing, because errors are thrown to the command, which prints its result. */
const SILENT_LOG = { debug: nothing, info: nothing, warn: nothing, error: nothing };
/** Prints failures that are not thrown to the command, such as an unsent email. */
const MAIL_LOG: AppLog = { ...SILENT_LOG, warn: (message?: string) => console.error(message) };

/** Sends emails as the service does. */
@Module({
  imports: [MailModule],
  providers: [BackgroundTasks, MailSender, Outbox, { provide: AppLog, useValue: MAIL_LOG }],
  exports: [BackgroundTasks, MailModule, MailSender],
})
class CommandMailModule {}

/** Replaces the connections between the service's processes, and everything that repeats tasks. */
@Global()
@Module({})
class CommandModule {
  static forRoot(connection: DatabaseConnection): DynamicModule {
    const providers: Provider[] = [
      DatabaseLeases,
      { provide: getConnectionToken(), useValue: connection },
      { provide: ChangeBus, useValue: new CommandBus(new CommandChangesRepository(connection)) },
      { provide: DatabaseReadiness, useValue: { refuseWritesWithoutIndexes: nothing } },
      // The service polls for jobs; commands call no other processes, so their figures are null.
      { provide: PrimaryClient, useClass: LocalPrimaryClient },
      { provide: RateLimitStore, useClass: MemoryRateLimitStore },
    ];
    return { module: CommandModule, providers, exports: providers };
  }
}

/** The administration services, without any module that starts work. */
@Module({
  imports: [
    AccountStoreModule,
    ApiKeyStoreModule,
    AuditTrailModule,
    BlockedHostStoreModule,
    ClickStoreModule,
    CommandMailModule,
    DomainStoreModule,
    ImportedCountsModule,
    JobsRepositoryModule,
    LinkCacheModule,
    ReportStoreModule,
    TagStoreModule,
  ],
  providers: [
    AccountDeletionService,
    AccountMailsService,
    AccountSearchService,
    AdminAccountsService,
    AdminDomainsService,
    AdminJobsService,
    AdminLinksService,
    AdminOverviewService,
    AdminReportsService,
    AdminsService,
    AuditTrailReadingService,
    BlockedDestinations,
    BlockedHostsService,
    ClosedAccounts,
    DomainMailsService,
    DomainSharingService,
    JobStarter,
    LinkBlockingService,
    LinkItemsService,
    LinkRemover,
    ListsService,
    OneTimeCodesService,
    SetupLinksService,
    SignInLinksService,
    StoredHosts,
    SuspensionService,
    ...onConnection(ClickDaysRepository, DatabaseFactsRepository, LastBackupRepository),
  ],
})
class AdminModule {
  static forRoot(connection: DatabaseConnection, mongo: MongoOptions, settings: Settings) {
    const runtime = {
      mongoUri: mongo.uri,
      // The file is read on demand, because only codes need it.
      get secret() {
        return existingSigningSecret(settings);
      },
    };
    const imports = [
      CommandModule.forRoot(connection),
      // The link cache reserves its memory, and a command reads each link once.
      ConfigModule.forRoot({ ...settings, linkCache: { memoryMb: 1 } }, runtime),
      LoggingModule.forRoot(SILENT_LOG),
    ];
    return { module: AdminModule, imports };
  }
}

export async function openAdminServices(
  connection: DatabaseConnection,
  mongo: MongoOptions,
  settings: Settings,
): Promise<{ services: AdminServices; close: () => Promise<void> }> {
  const app = await NestFactory.createApplicationContext(
    AdminModule.forRoot(connection, mongo, settings),
    // Nest's logger is disabled, because it would write to standard output.
    { logger: false, abortOnError: false },
  );
  await app.get(DomainRegistry).start();
  const entries = Object.entries<Type>(COMMAND_SERVICES);
  const services: AdminServices = {
    ...(Object.fromEntries(
      entries.map(([name, type]) => [name, app.get(type)]),
    ) as CommandServices),
    baseUrl: settings.http.baseUrl,
    readListFiles: () => app.get(BlockedDestinations).look(),
  };
  const close = async (): Promise<void> => {
    await app.get(BackgroundTasks).settleTasks(2 * MAIL_MS);
    await app.close();
  };
  return { services, close };
}

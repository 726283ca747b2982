import { AccountRecord, AccountSchema } from '../../accounts/account/account.schema';
import { AccountsRepository } from '../../accounts/account/accounts.repository';
import { AdminsService } from '../../accounts/admins/admins.service';
import { CodeBudgetRecord, CodeBudgetSchema } from '../../accounts/codes/code-budget.schema';
import { CodeBudgetsRepository } from '../../accounts/codes/code-budgets.repository';
import { CodeRecord, CodeSchema } from '../../accounts/codes/code.schema';
import { CodesRepository } from '../../accounts/codes/codes.repository';
import { OneTimeCodesService } from '../../accounts/codes/one-time-codes.service';
import { AccountMailsService } from '../../accounts/mails/account-mails.service';
import { SessionRecord, SessionSchema } from '../../accounts/sessions/session.schema';
import { SessionsRepository } from '../../accounts/sessions/sessions.repository';
import { AccountDeletionService } from '../../accounts/deletion/account-deletion.service';
import {
  RemovedAccountRecord,
  RemovedAccountSchema,
  RemovedAccountsRepository,
} from '../../accounts/closing/removed-accounts.repository';
import { ClosedAccounts } from '../../accounts/closing/closed-accounts';
import { SuspensionService } from '../../accounts/suspension/suspension.service';
import { AccountSearchService } from '../../moderation/administration/accounts/account-search.service';
import { AdminAccountsService } from '../../moderation/administration/accounts/admin-accounts.service';
import { AuditTrailReadingService } from '../../moderation/administration/audit-trail-reading.service';
import { AdminJobsService } from '../../moderation/administration/jobs/admin-jobs.service';
import { AdminLinksService } from '../../moderation/administration/links/admin-links.service';
import { ListsService } from '../../moderation/administration/lists/lists.service';
import { AdminOverviewService } from '../../moderation/administration/overview/overview.service';
import { AdminReportsService } from '../../moderation/administration/reports/admin-reports.service';
import { ApiKeyRecord, ApiKeySchema } from '../../api-keys/api-key.schema';
import { ApiKeysRepository } from '../../api-keys/api-keys.repository';
import { AuditEntryRecord, AuditEntrySchema } from '../../audit-trail/audit-entry.schema';
import { AuditTrailRepository } from '../../audit-trail/audit-trail.repository';
import { AuditTrailService } from '../../audit-trail/audit-trail.service';
import { ClickDaysRepository } from '../../clicks/store/click-days.repository';
import { ClickStoreRepository } from '../../clicks/store/click-store.repository';
import { BackgroundTasks } from '../../common/background-tasks';
import { AppLog } from '../../common/log';
import type { MongoOptions } from '../../config/options';
import type { Settings } from '../../config/settings';
import { DomainRegistry } from '../../stores/domains/domain-registry';
import { DomainRecord, DomainSchema } from '../../stores/domains/domain.schema';
import { DomainsRepository } from '../../stores/domains/domains.repository';
import { LinkAddresses } from '../../stores/domains/link-addresses';
import {
  CountsRevisionRecord,
  CountsRevisionSchema,
  ImportedCountsRecord,
  ImportedCountsSchema,
} from '../../stores/imported-counts/imported-counts.schema';
import { ImportedCountsRepository } from '../../stores/imported-counts/imported-counts.repository';
import { CommandBus } from '../../infrastructure/change-bus/command-bus';
import { CommandChangesRepository } from '../../infrastructure/change-bus/command-changes.repository';
import { JobRecord, JobSchema } from '../../infrastructure/jobs/job.schema';
import { JobStarter } from '../../infrastructure/jobs/job-starter';
import { JobsRepository } from '../../infrastructure/jobs/jobs.repository';
import {
  MailFailureRecord,
  MailFailureSchema,
  MailFailuresRepository,
} from '../../infrastructure/mail/mail-failures.repository';
import { MailSender } from '../../infrastructure/mail/mail-sender';
import { MAIL_MS } from '../../infrastructure/mail/mail-transport';
import { Outbox } from '../../infrastructure/mail/outbox';
import { DatabaseFactsRepository } from '../../infrastructure/mongo/database-facts.repository';
import { DatabaseLeases } from '../../infrastructure/mongo/database-leases.repository';
import { ExpiredDocuments } from '../../infrastructure/mongo/expired-documents';
import { LastBackupRepository } from '../../infrastructure/mongo/last-backup.repository';
import { MemoryRateLimitStore } from '../../infrastructure/rate-limit-store/memory.rate-limit-store';
import { ClosedOwners } from '../../stores/links/closed-owners';
import { LinkReads } from '../../stores/links/link-reads.repository';
import { LinkSearch } from '../../stores/links/link-search.repository';
import { LinkTotalReads } from '../../stores/links/link-total-reads.repository';
import { LinkWalk } from '../../stores/links/link-walk.repository';
import { LinksRepository } from '../../stores/links/links.repository';
import { RemovedLinksRepository } from '../../stores/links/removed-links.repository';
import { BlockedDestinations } from '../../blocklists/blocked-destinations';
import { LinkBlockingService } from '../../links/blocking/link-blocking.service';
import { LinkCache } from '../../links/cache/link-cache';
import { LinkRemover } from '../../links/removal/link-remover';
import { LocalPrimaryClient } from '../../processes/rpc/primary-client';
import { ReportRecord, ReportSchema } from '../../moderation/reports/report.schema';
import { ReportsRepository } from '../../moderation/reports/reports.repository';
import { AccountTags } from '../../stores/tags/account-tags';
import { TagRecord, TagSchema } from '../../stores/tags/tag.schema';
import { TagsRepository } from '../../stores/tags/tags.repository';
import { existingSigningSecret } from '../secret';
import type { DatabaseConnection } from './own-database';

/** Services for administration on a command's database connection, without an application. */
export interface AdminServices {
  readonly links: AdminLinksService;
  readonly trail: AuditTrailReadingService;
  readonly accounts: AccountSearchService;
  readonly accountActs: AdminAccountsService;
  readonly overview: AdminOverviewService;
  readonly reports: AdminReportsService;
  readonly lists: ListsService;
  readonly jobs: AdminJobsService;
  readonly storedAccounts: AccountsRepository;
  readonly storedLinks: LinkReads;
  readonly addresses: LinkAddresses;
  readonly baseUrl: string;
  /** Reads the blocklist files; no other function here reads them. */
  readonly readListFiles: () => Promise<void>;
}

class SilentLog extends AppLog {
  debug(): void {
    // Not logged, because errors are thrown to the command.
  }
  info(): void {
    // Not logged, because the command prints its result.
  }
  warn(): void {
    // Not logged, because errors are thrown to the command.
  }
  error(): void {
    // Not logged, because errors are thrown to the command.
  }
}

/** Prints failures that are not thrown to the command, such as an unsent email. */
class WarningLog extends SilentLog {
  override warn(message?: string): void {
    console.error(message);
  }
}

export async function openAdminServices(
  connection: DatabaseConnection,
  mongo: MongoOptions,
  settings: Settings,
): Promise<{ services: AdminServices; close: () => Promise<void> }> {
  const log = new SilentLog();
  const bus = new CommandBus(new CommandChangesRepository(connection));
  const accounts = new AccountsRepository(
    connection.model<AccountRecord>(AccountRecord.name, AccountSchema),
  );
  const entries = new AuditTrailRepository(
    connection.model<AuditEntryRecord>(AuditEntryRecord.name, AuditEntrySchema),
  );
  const domains = new DomainRegistry(
    new DomainsRepository(connection.model<DomainRecord>(DomainRecord.name, DomainSchema)),
    bus,
    log,
  );
  await domains.start();
  const stored = new LinksRepository(connection);
  const linkReads = new LinkReads(connection);
  const totals = new LinkTotalReads(connection);
  const owners = new ClosedOwners();
  const cache = new LinkCache(linkReads, bus, owners, log, settings.linkCache);
  const trail = new AuditTrailService(entries);
  const addresses = new LinkAddresses(domains, settings.http);
  const reports = new ReportsRepository(
    connection.model<ReportRecord>(ReportRecord.name, ReportSchema),
  );
  const links = new AdminLinksService(
    linkReads,
    new LinkSearch(connection),
    accounts,
    new LinkBlockingService(stored, linkReads, cache),
    new LinkRemover(
      stored,
      new RemovedLinksRepository(connection),
      cache,
      new ClickStoreRepository(connection),
      new ImportedCountsRepository(
        connection.model<ImportedCountsRecord>(ImportedCountsRecord.name, ImportedCountsSchema),
        connection.model<CountsRevisionRecord>(CountsRevisionRecord.name, CountsRevisionSchema),
      ),
    ),
    new AccountTags(
      new TagsRepository(connection.model<TagRecord>(TagRecord.name, TagSchema)),
      bus,
    ),
    addresses,
    trail,
    reports,
  );
  const sessions = new SessionsRepository(
    connection.model<SessionRecord>(SessionRecord.name, SessionSchema),
  );
  const admins = new AdminsService(
    accounts,
    new DatabaseLeases(connection),
    trail,
    log,
    settings.administration,
  );
  const expired = new ExpiredDocuments(mongo, log);
  const failures = new MailFailuresRepository(
    connection.model<MailFailureRecord>(MailFailureRecord.name, MailFailureSchema),
    expired,
  );
  const mails = openMails(connection, accounts, failures, settings);
  const removed = new RemovedAccountsRepository(
    connection.model<RemovedAccountRecord>(RemovedAccountRecord.name, RemovedAccountSchema),
    expired,
  );
  const closed = new ClosedAccounts(accounts, removed, owners, bus, log);
  const shown = new AccountSearchService(
    accounts,
    totals,
    new ApiKeysRepository(connection.model<ApiKeyRecord>(ApiKeyRecord.name, ApiKeySchema)),
    sessions,
  );
  const jobs = new JobsRepository(connection.model<JobRecord>(JobRecord.name, JobSchema), expired);
  // The service polls the database for jobs, so no process is notified.
  const starter = new JobStarter(jobs, new LocalPrimaryClient(), new BackgroundTasks(log), log);
  const lists = new BlockedDestinations(settings.blocklist, log);
  const services: AdminServices = {
    links,
    trail: new AuditTrailReadingService(entries, accounts),
    accounts: shown,
    accountActs: new AdminAccountsService(
      accounts,
      shown,
      new SuspensionService(accounts, admins, sessions, closed, trail, mails.service, starter),
      new AccountDeletionService(accounts, admins, sessions, closed, trail, jobs, starter),
      admins,
      sessions,
      mails.codes,
      mails.service,
      trail,
    ),
    overview: new AdminOverviewService(
      accounts,
      totals,
      new ClickDaysRepository(connection),
      reports,
      lists,
      jobs,
      failures,
      new LastBackupRepository(connection),
      new DatabaseFactsRepository(connection),
      // Figures of the running service are null, because its processes cannot be called from here.
      new LocalPrimaryClient(),
      settings.data,
      settings.mail,
      log,
    ),
    reports: new AdminReportsService(reports, links, accounts, trail),
    lists: new ListsService(lists, new LinkWalk(connection), jobs),
    jobs: new AdminJobsService(jobs, starter, accounts, trail),
    storedAccounts: accounts,
    storedLinks: linkReads,
    addresses,
    baseUrl: settings.http.baseUrl,
    readListFiles: () => lists.look(),
  };
  const close = async (): Promise<void> => {
    domains.onModuleDestroy();
    closed.onModuleDestroy();
    await Promise.all([lists.onApplicationShutdown(), mails.close()]);
  };
  return { services, close };
}

/** Sends emails like the service; `close` waits until they are sent. */
function openMails(
  connection: DatabaseConnection,
  accounts: AccountsRepository,
  failures: MailFailuresRepository,
  settings: Settings,
) {
  const log = new WarningLog();
  const { data, mail, http, site } = settings;
  const codes = new OneTimeCodesService(
    new CodesRepository(connection.model<CodeRecord>(CodeRecord.name, CodeSchema)),
    new CodeBudgetsRepository(
      connection.model<CodeBudgetRecord>(CodeBudgetRecord.name, CodeBudgetSchema),
    ),
    {
      // The secret is read on demand, because only commands that create codes need it.
      get secret() {
        return existingSigningSecret(settings);
      },
    },
  );
  const sender = new MailSender(
    mail,
    new Outbox(data, new SilentLog()),
    new MemoryRateLimitStore(),
    failures,
    log,
  );
  const tasks = new BackgroundTasks(log);
  const close = async (): Promise<void> => {
    await tasks.settleTasks(2 * MAIL_MS);
    await sender.onModuleDestroy();
  };
  return {
    codes,
    service: new AccountMailsService(accounts, codes, sender, tasks, http, site),
    close,
  };
}

import { AccountRecord, AccountSchema } from '../../accounts/account.schema';
import { AccountsRepository } from '../../accounts/accounts.repository';
import { AdminsLockRepository } from '../../accounts/admins/admins-lock.repository';
import { AdminsService } from '../../accounts/admins/admins.service';
import { AuditTrailReadingService } from '../../administration/audit-trail-reading.service';
import { AdminLinksService } from '../../administration/links/admin-links.service';
import { AuditEntryRecord, AuditEntrySchema } from '../../audit-trail/audit-entry.schema';
import { AuditTrailRepository } from '../../audit-trail/audit-trail.repository';
import { AuditTrailService } from '../../audit-trail/audit-trail.service';
import { ClickStoreRepository } from '../../clicks/store/click-store.repository';
import { AppLog } from '../../common/log';
import type { Settings } from '../../config/settings';
import { DomainRegistry } from '../../domain-store/domain-registry';
import { DomainRecord, DomainSchema } from '../../domain-store/domain.schema';
import { DomainsRepository } from '../../domain-store/domains.repository';
import { LinkAddresses } from '../../domain-store/link-addresses';
import {
  CountsRevisionRecord,
  CountsRevisionSchema,
  ImportedCountsRecord,
  ImportedCountsSchema,
} from '../../imported-counts/imported-counts.schema';
import { ImportedCountsRepository } from '../../imported-counts/imported-counts.repository';
import { CommandBus } from '../../infrastructure/change-bus/command-bus';
import { CommandChangesRepository } from '../../infrastructure/change-bus/command-changes.repository';
import type { openConnection } from '../../infrastructure/mongo/open-connection';
import { ClosedOwners } from '../../link-store/closed-owners';
import { LinksRepository } from '../../link-store/links.repository';
import { RemovedLinksRepository } from '../../link-store/removed-links.repository';
import { LinkBlockingService } from '../../links/blocking/link-blocking.service';
import { LinkCache } from '../../links/link-cache';
import { LinkRemover } from '../../links/removal/link-remover';
import { ReportRecord, ReportSchema } from '../../reports/report.schema';
import { ReportsRepository } from '../../reports/reports.repository';
import { AccountTags } from '../../tag-store/account-tags';
import { TagRecord, TagSchema } from '../../tag-store/tag.schema';
import { TagsRepository } from '../../tag-store/tags.repository';

/** The services of the administration, on a connection of a command, which starts no application. */
export interface AdminServices {
  readonly links: AdminLinksService;
  readonly trail: AuditTrailReadingService;
  readonly admins: AdminsService;
  readonly accounts: AccountsRepository;
  readonly stored: LinksRepository;
  readonly addresses: LinkAddresses;
}

/** Keeps what services tell a log out of the output of a command. */
class SilentLog extends AppLog {
  debug(): void {
    // Errors reach the command itself.
  }
  info(): void {
    // The command says what it has done.
  }
  warn(): void {
    // The same.
  }
  error(): void {
    // The same.
  }
}

export async function openAdminServices(
  connection: Awaited<ReturnType<typeof openConnection>>,
  { http, administration }: Settings,
): Promise<{ services: AdminServices; close: () => void }> {
  const log = new SilentLog();
  const bus = new CommandBus(new CommandChangesRepository(connection));
  const accounts = new AccountsRepository(
    connection.model<AccountRecord>(AccountRecord.name, AccountSchema),
  );
  const entries = new AuditTrailRepository(
    connection.model<AuditEntryRecord>(AuditEntryRecord.name, AuditEntrySchema),
  );
  const counts = new ImportedCountsRepository(
    connection.model<ImportedCountsRecord>(ImportedCountsRecord.name, ImportedCountsSchema),
    connection.model<CountsRevisionRecord>(CountsRevisionRecord.name, CountsRevisionSchema),
  );
  const domains = new DomainRegistry(
    new DomainsRepository(connection.model<DomainRecord>(DomainRecord.name, DomainSchema)),
    bus,
    log,
  );
  await domains.start();
  const tags = new TagsRepository(connection.model<TagRecord>(TagRecord.name, TagSchema));
  const stored = new LinksRepository(connection);
  const cache = new LinkCache(stored, bus, new ClosedOwners(), log);
  const trail = new AuditTrailService(entries);
  const addresses = new LinkAddresses(domains, http);
  const services: AdminServices = {
    links: new AdminLinksService(
      stored,
      accounts,
      new LinkBlockingService(stored, cache),
      new LinkRemover(
        stored,
        new RemovedLinksRepository(connection),
        cache,
        new ClickStoreRepository(connection),
        counts,
      ),
      new AccountTags(tags, bus),
      addresses,
      trail,
      new ReportsRepository(connection.model<ReportRecord>(ReportRecord.name, ReportSchema)),
    ),
    trail: new AuditTrailReadingService(entries, accounts),
    admins: new AdminsService(
      accounts,
      new AdminsLockRepository(connection),
      trail,
      log,
      administration,
    ),
    accounts,
    stored,
    addresses,
  };
  return { services, close: () => domains.onModuleDestroy() };
}

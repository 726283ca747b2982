import { Module } from '@nestjs/common';
import { AccountsModule } from '../../accounts/accounts.module';
import { ApiKeysModule } from '../../api-keys/api-keys.module';
import { AuditTrailModule } from '../../audit-trail/audit-trail.module';
import { ClickDaysRepository } from '../../clicks/store/click-days.repository';
import { CommandChangesListener } from '../../infrastructure/change-bus/command-bus';
import { CommandChangesRepository } from '../../infrastructure/change-bus/command-changes.repository';
import { DomainsModule } from '../../domains/domains.module';
import { DomainStoreModule } from '../../stores/domains/domain-store.module';
import { ImportedCountsModule } from '../../stores/imported-counts/imported-counts.module';
import { JobStarterModule } from '../../infrastructure/jobs/jobs.module';
import { MailModule } from '../../infrastructure/mail/mail.module';
import { DatabaseFactsRepository } from '../../infrastructure/mongo/database-facts.repository';
import { onConnection } from '../../infrastructure/mongo/stores';
import { LastBackupRepository } from '../../infrastructure/mongo/last-backup.repository';
import { BlocklistModule } from '../../blocklists/blocklists.module';
import { LinksModule } from '../../links/links.module';
import { ReportsModule } from '../reports/reports.module';
import { TagStoreModule } from '../../stores/tags/tag-store.module';
import { ListWalkModule } from '../list-walk/list-walk.module';
import { AdminAccountsController } from './accounts/admin-accounts.controller';
import { AccountSearchService, AdminAccountsService } from './accounts/admin-accounts.service';
import { AuditTrailController } from './audit-trail.controller';
import { AuditTrailReadingService } from './audit-trail-reading.service';
import { BlockedHostsController } from './hosts/blocked-hosts.controller';
import { BlockedHostsService } from './hosts/blocked-hosts.service';
import { AdminDomainsController } from './domains/admin-domains.controller';
import { AdminDomainsService } from './domains/admin-domains.service';
import { AdminJobsController } from './jobs/admin-jobs.controller';
import { AdminJobsService } from './jobs/admin-jobs.service';
import { AdminLinksController } from './links/admin-links.controller';
import { AdminLinksService, BulkAdminLinksService } from './links/admin-links.service';
import { BulkAdminLinksController } from './links/bulk-admin-links.controller';
import { BlockMailsService } from './links/block-mails.service';
import { ListsController } from './lists/lists.controller';
import { ListsService } from './lists/lists.service';
import { AdminOverviewController } from './overview/overview.controller';
import { AdminOverviewService } from './overview/overview.service';
import { AdminReportsController } from './reports/admin-reports.controller';
import { AdminReportsService } from './reports/admin-reports.service';

/** The admin API; other callers get 404 (docs/contract.md#24). */
@Module({
  imports: [
    AccountsModule,
    ApiKeysModule,
    AuditTrailModule,
    BlocklistModule,
    DomainsModule,
    DomainStoreModule,
    ImportedCountsModule,
    JobStarterModule,
    LinksModule,
    ListWalkModule,
    MailModule,
    ReportsModule,
    TagStoreModule,
  ],
  controllers: [
    AdminOverviewController,
    AdminReportsController,
    BulkAdminLinksController,
    AdminAccountsController,
    AdminDomainsController,
    AdminJobsController,
    AdminLinksController,
    AuditTrailController,
    BlockedHostsController,
    ListsController,
  ],
  providers: [
    AccountSearchService,
    AdminAccountsService,
    AdminDomainsService,
    AdminJobsService,
    AdminLinksService,
    AdminOverviewService,
    AdminReportsService,
    AuditTrailReadingService,
    BlockMailsService,
    BlockedHostsService,
    BulkAdminLinksService,
    CommandChangesListener,
    CommandChangesRepository,
    ListsService,
    ...onConnection(ClickDaysRepository, DatabaseFactsRepository, LastBackupRepository),
  ],
})
export class AdministrationModule {}

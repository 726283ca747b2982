import { Module } from '@nestjs/common';
import { AccountsModule } from '../accounts/accounts.module';
import { ApiKeysModule } from '../api-keys/api-keys.module';
import { AuditTrailModule } from '../audit-trail/audit-trail.module';
import { DomainStoreModule } from '../domain-store/domain-store.module';
import { JobsRepositoryModule } from '../infrastructure/jobs/jobs.repository';
import { BlocklistModule } from '../links/blocklist.module';
import { LinksModule } from '../links/links.module';
import { TagStoreModule } from '../tag-store/tag-store.module';
import { AdminAccountsController } from './accounts/admin-accounts.controller';
import { AdminAccountsService } from './accounts/admin-accounts.service';
import { AccountSearchService } from './accounts/account-search.service';
import { AuditTrailController } from './audit-trail.controller';
import { AuditTrailReadingService } from './audit-trail-reading.service';
import { AdminLinksController } from './links/admin-links.controller';
import { AdminLinksService } from './links/admin-links.service';
import { BulkAdminLinksController } from './links/bulk-admin-links.controller';
import { BulkAdminLinksService } from './links/bulk-admin-links.service';
import { ListsController } from './lists/lists.controller';
import { ListsService } from './lists/lists.service';

/** Views and acts of admins, behind a door that nobody else sees (docs/contract.md#24). */
@Module({
  imports: [
    AccountsModule,
    ApiKeysModule,
    AuditTrailModule,
    BlocklistModule,
    DomainStoreModule,
    JobsRepositoryModule,
    LinksModule,
    TagStoreModule,
  ],
  controllers: [
    BulkAdminLinksController,
    AdminAccountsController,
    AdminLinksController,
    AuditTrailController,
    ListsController,
  ],
  providers: [
    AccountSearchService,
    AdminAccountsService,
    AdminLinksService,
    AuditTrailReadingService,
    BulkAdminLinksService,
    ListsService,
  ],
})
export class AdministrationModule {}

import { Module } from '@nestjs/common';
import { AccountsModule } from '../accounts/accounts.module';
import { AuditTrailModule } from '../audit-trail/audit-trail.module';
import { ChangeBusModule } from '../infrastructure/change-bus/change-bus.module';
import { CommandChangesListener } from '../infrastructure/change-bus/command-bus';
import { CommandChangesRepository } from '../infrastructure/change-bus/command-changes.repository';
import { DomainStoreModule } from '../domain-store/domain-store.module';
import { JobsRepositoryModule } from '../infrastructure/jobs/jobs.repository';
import { BlocklistModule } from '../links/blocklist.module';
import { LinksModule } from '../links/links.module';
import { TagStoreModule } from '../tag-store/tag-store.module';
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
    AuditTrailModule,
    BlocklistModule,
    ChangeBusModule,
    DomainStoreModule,
    JobsRepositoryModule,
    LinksModule,
    TagStoreModule,
  ],
  controllers: [
    BulkAdminLinksController,
    AdminLinksController,
    AuditTrailController,
    ListsController,
  ],
  providers: [
    AdminLinksService,
    AuditTrailReadingService,
    BulkAdminLinksService,
    CommandChangesListener,
    CommandChangesRepository,
    ListsService,
  ],
})
export class AdministrationModule {}

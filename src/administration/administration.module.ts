import { Module } from '@nestjs/common';
import { AccountsModule } from '../accounts/accounts.module';
import { AuditTrailModule } from '../audit-trail/audit-trail.module';
import { DomainStoreModule } from '../domain-store/domain-store.module';
import { LinksModule } from '../links/links.module';
import { TagStoreModule } from '../tag-store/tag-store.module';
import { AuditTrailController } from './audit-trail.controller';
import { AuditTrailReadingService } from './audit-trail-reading.service';
import { AdminLinksController } from './links/admin-links.controller';
import { AdminLinksService } from './links/admin-links.service';
import { BulkAdminLinksController } from './links/bulk-admin-links.controller';
import { BulkAdminLinksService } from './links/bulk-admin-links.service';

/** Views and acts of admins, behind a door that nobody else sees (docs/contract.md#24). */
@Module({
  imports: [AccountsModule, AuditTrailModule, DomainStoreModule, LinksModule, TagStoreModule],
  controllers: [BulkAdminLinksController, AdminLinksController, AuditTrailController],
  providers: [AdminLinksService, AuditTrailReadingService, BulkAdminLinksService],
})
export class AdministrationModule {}

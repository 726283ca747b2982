import { Module } from '@nestjs/common';
import { ClickHouseModule } from '../infrastructure/click-house/click-house.module';
import { JournalModule } from '../clicks/journal/journal.module';
import { ClickStoreModule } from '../clicks/store/click-store.module';
import { DomainStoreModule } from '../stores/domains/domain-store.module';
import { IdempotencyModule } from '../idempotency/idempotency.module';
import { ImportedCountsModule } from '../stores/imported-counts/imported-counts.module';
import { FilesModule } from '../infrastructure/files/files.module';
import { JobStarterModule } from '../infrastructure/jobs/jobs.module';
import { TagStoreModule } from '../stores/tags/tag-store.module';
import { BackfillStarter } from './backfill/backfill-starter';
import { LinkBlockingService } from './blocking/link-blocking.service';
import { BulkChangesService } from './bulk/bulk-changes.service';
import { BulkCreationService } from './bulk/bulk-creation.service';
import { BulkRunService } from './bulk/bulk-run.service';
import { BulkController } from './bulk/bulk.controller';
import { UtmModule } from './utm/utm.module';
import { BlocklistModule } from '../blocklists/blocklists.module';
import { ClaimCookie } from './claim/claim-cookie';
import { ClaimController } from './claim/claim.controller';
import { ClaimService } from './claim/claim.service';
import { ClickDeletionController } from './click-deletion/click-deletion.controller';
import { ClickDeletionService } from './click-deletion/click-deletion.service';
import { ClickRemover } from './click-deletion/click-remover';
import { EmojiSetController } from './emoji-set.controller';
import { LinkCacheModule } from './cache/link-cache.module';
import { LinksController, ShortenController } from './links.controller';
import { LinkItemsService } from './making/link-items.service';
import { LinkValidationService } from './making/link-validation.service';
import { LinksService } from './making/links.service';
import { LinkOverviewService } from './listing/link-overview.service';
import { ListingController } from './listing/listing.controller';
import { LinkExportService, ListingService } from './listing/listing.service';
import { LinkIndex } from './link-index/link-index';
import { LinkRemover } from './removal/link-remover';
import { RemovalController } from './removal/removal.controller';
import { DeletedLinkCleanup, RemovalService } from './removal/removal.service';

@Module({
  imports: [
    BlocklistModule,
    ClickHouseModule,
    ClickStoreModule,
    DomainStoreModule,
    FilesModule,
    IdempotencyModule,
    ImportedCountsModule,
    JobStarterModule,
    JournalModule,
    LinkCacheModule,
    TagStoreModule,
    UtmModule,
  ],
  controllers: [
    ShortenController,
    BulkController,
    ClickDeletionController,
    ListingController,
    LinksController,
    RemovalController,
    EmojiSetController,
    ClaimController,
  ],
  providers: [
    ClaimCookie,
    ClaimService,
    BackfillStarter,
    BulkChangesService,
    BulkCreationService,
    BulkRunService,
    ClickDeletionService,
    ClickRemover,
    DeletedLinkCleanup,
    LinkBlockingService,
    LinkExportService,
    LinkIndex,
    LinkItemsService,
    LinkOverviewService,
    LinkRemover,
    LinkValidationService,
    LinksService,
    ListingService,
    RemovalService,
  ],
  exports: [
    ClaimCookie,
    ClaimService,
    LinkBlockingService,
    LinkCacheModule,
    LinkIndex,
    LinkItemsService,
    LinkOverviewService,
    LinkRemover,
    LinkValidationService,
    LinksService,
    ListingService,
    RemovalService,
  ],
})
export class LinksModule {}

import { Module } from '@nestjs/common';
import { MongooseModule } from '@nestjs/mongoose';
import { JournalModule } from '../clicks/journal/journal.module';
import { BlockedDestinations } from './blocked-destinations';
import { ChangesController } from './changes/changes.controller';
import { ChangesService, QuotaActivation } from './changes/changes.service';
import { LinkChangeReader } from './changes/link-changes';
import { LinkCacheModule } from './link-cache.module';
import { LinkCreation } from './link-creation';
import { ListingController } from './listing/listing.controller';
import { ListingService } from './listing/listing.service';
import { Listings } from './listing/listings';
import { OwnedLinks } from './owned-links';
import { RemovalController } from './removal/removal.controller';
import { DeletedLinkCleanup, RemovalService } from './removal/removal.service';
import { RemovedLinkRecord, RemovedLinkSchema } from './removal/removed-link.schema';
import { RemovedLinksRepository } from './removal/removed-links.repository';
import { ShortenController } from './shorten.controller';
import { ShortenService } from './shorten.service';

@Module({
  imports: [
    JournalModule,
    LinkCacheModule,
    MongooseModule.forFeature([{ name: RemovedLinkRecord.name, schema: RemovedLinkSchema }]),
  ],
  controllers: [ShortenController, ListingController, ChangesController, RemovalController],
  providers: [
    BlockedDestinations,
    ChangesService,
    DeletedLinkCleanup,
    LinkChangeReader,
    LinkCreation,
    ListingService,
    Listings,
    OwnedLinks,
    QuotaActivation,
    RemovalService,
    RemovedLinksRepository,
    ShortenService,
  ],
  exports: [LinkCacheModule, LinkCreation],
})
export class LinksModule {}

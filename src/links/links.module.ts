import { Module } from '@nestjs/common';
import { ChangesModule } from './changes/changes.module';
import { CreationModule } from './creation.module';
import { ListingModule } from './listing/listing.module';
import { RemovalModule } from './removal/removal.module';
import { ShortenController } from './shorten.controller';
import { ShortenService } from './shorten.service';

@Module({
  imports: [CreationModule, ListingModule, ChangesModule, RemovalModule],
  controllers: [ShortenController],
  providers: [ShortenService],
  exports: [CreationModule],
})
export class LinksModule {}

import { Module } from '@nestjs/common';
import { CreationModule } from '../creation.module';
import { RemovalModule } from '../removal/removal.module';
import { ListingController } from './listing.controller';
import { ListingRepository } from './listing.repository';
import { ListingService } from './listing.service';
import { Listings } from './listings';

@Module({
  imports: [CreationModule, RemovalModule],
  controllers: [ListingController],
  providers: [ListingRepository, ListingService, Listings],
})
export class ListingModule {}

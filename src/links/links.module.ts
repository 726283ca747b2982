import { Module } from '@nestjs/common';
import { BlockedDestinations } from './blocked-destinations';
import { LinkCreation } from './link-creation';
import { LinksRepository } from './links.repository';
import { LookupModule } from './lookup/lookup.module';
import { ShortenController } from './shorten.controller';
import { ShortenService } from './shorten.service';

@Module({
  imports: [LookupModule],
  controllers: [ShortenController],
  providers: [BlockedDestinations, LinkCreation, LinksRepository, ShortenService],
  exports: [LinkCreation, LinksRepository, LookupModule],
})
export class LinksModule {}

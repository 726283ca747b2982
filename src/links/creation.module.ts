import { Module } from '@nestjs/common';
import { BlockedDestinations } from './blocked-destinations';
import { LinkCreation } from './link-creation';
import { LinksRepository } from './links.repository';
import { LinkCacheModule } from './link-cache.module';
import { OwnedLinks } from './owned-links';

/** What making, changing and removing links have in common. */
@Module({
  imports: [LinkCacheModule],
  providers: [BlockedDestinations, LinkCreation, LinksRepository, OwnedLinks],
  exports: [LinkCreation, LinksRepository, LinkCacheModule, OwnedLinks],
})
export class CreationModule {}

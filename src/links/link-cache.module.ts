import { Module } from '@nestjs/common';
import { ChangeBusModule } from '../infrastructure/change-bus/change-bus.module';
import { LinkStoreModule } from '../link-store/link-store.module';
import { ClosedOwners } from './closed-owners';
import { LinkCache } from './link-cache';

/** The links and their cache: all that a redirect needs of them, without any HTTP. */
@Module({
  imports: [ChangeBusModule, LinkStoreModule],
  providers: [ClosedOwners, LinkCache],
  exports: [ClosedOwners, LinkStoreModule, LinkCache],
})
export class LinkCacheModule {}

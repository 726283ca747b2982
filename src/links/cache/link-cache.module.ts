import { Module } from '@nestjs/common';
import { ChangeBusModule } from '../../infrastructure/change-bus/change-bus.module';
import { LinkStoreModule, ClosedOwnersModule } from '../../stores/links/link-store.module';
import { LinkCache } from './link-cache';

@Module({
  imports: [ChangeBusModule, ClosedOwnersModule, LinkStoreModule],
  providers: [LinkCache],
  exports: [LinkStoreModule, LinkCache],
})
export class LinkCacheModule {}

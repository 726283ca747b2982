import { Module } from '@nestjs/common';
import { LinkStoreModule } from '../../stores/links/link-store.module';
import { LinkCache } from './link-cache';

@Module({
  imports: [LinkStoreModule],
  providers: [LinkCache],
  exports: [LinkStoreModule, LinkCache],
})
export class LinkCacheModule {}

import { Module } from '@nestjs/common';
import { LinkCacheModule } from '../links/link-cache.module';
import { JournalModule } from '../clicks/journal/journal.module';
import { ClickQuota } from './click-quota';
import { RedirectHandler } from './redirect.handler';
import { RedirectService } from './redirect.service';
import { MetersModule } from '../infrastructure/meters/meters.module';

@Module({
  imports: [LinkCacheModule, JournalModule, MetersModule],
  providers: [ClickQuota, RedirectHandler, RedirectService],
  exports: [RedirectHandler, RedirectService],
})
export class RedirectModule {}

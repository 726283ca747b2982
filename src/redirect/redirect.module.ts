import { Module } from '@nestjs/common';
import { LinkCacheModule } from '../links/lookup/lookup.module';
import { JournalModule } from '../platform/journal/journal.module';
import { ClickQuota } from './click-slots';
import { RedirectHandler } from './redirect-front';
import { RedirectService } from './visits';

@Module({
  imports: [LinkCacheModule, JournalModule],
  providers: [ClickQuota, RedirectHandler, RedirectService],
  exports: [RedirectHandler, RedirectService],
})
export class RedirectModule {}

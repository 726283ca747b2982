import { Module } from '@nestjs/common';
import { LinkCacheModule } from '../links/link-cache.module';
import { JournalModule } from '../clicks/journal/journal.module';
import { ClickQuota } from './click-quota';
import { RedirectHandler } from './redirect.handler';
import { RedirectService } from './redirect.service';
import { MetersModule } from '../infrastructure/meters/meters.module';
import { ShortCodeRoutes } from './short-code-routes';

@Module({
  imports: [LinkCacheModule, JournalModule, MetersModule],
  providers: [ClickQuota, RedirectHandler, RedirectService, ShortCodeRoutes],
  exports: [RedirectHandler, RedirectService],
})
export class RedirectModule {}

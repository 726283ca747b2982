import { Module } from '@nestjs/common';
import { DomainStoreModule } from '../stores/domains/domain-store.module';
import { LinkCacheModule } from '../links/cache/link-cache.module';
import { AppLinksController } from './app-links.controller';
import { PreviewController, PreviewService } from './preview.controller';
import { PublicPreviewController } from './public-preview.controller';
import { SecurityTxtController, SecurityTxtService } from './security-txt.controller';
import { LinkPagesService } from './link-pages.service';
import { StaticController } from './static.controller';

@Module({
  imports: [DomainStoreModule, LinkCacheModule],
  controllers: [
    StaticController,
    AppLinksController,
    SecurityTxtController,
    PreviewController,
    PublicPreviewController,
  ],
  providers: [PreviewService, SecurityTxtService, LinkPagesService],
  exports: [LinkPagesService],
})
export class PagesModule {}

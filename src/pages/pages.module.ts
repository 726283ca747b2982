import { Module } from '@nestjs/common';
import { LinkCacheModule } from '../links/link-cache.module';
import { HomeController } from './home.controller';
import { PreviewController } from './preview.controller';
import { PreviewService } from './preview.controller';
import { ResultController } from './result.controller';
import { ResultService } from './result.controller';
import { LinkPagesService } from './link-pages.service';
import { StaticController } from './static.controller';

@Module({
  imports: [LinkCacheModule],
  controllers: [HomeController, ResultController, StaticController, PreviewController],
  providers: [PreviewService, ResultService, LinkPagesService],
})
export class PagesModule {}

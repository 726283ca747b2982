import { Module } from '@nestjs/common';
import { LinkCacheModule } from '../links/lookup/lookup.module';
import { HomeController } from './home.controller';
import { PreviewController } from './preview.controller';
import { PreviewService } from './preview.service';
import { ResultController } from './result.controller';
import { ResultService } from './result.service';
import { LinkPagesService } from './shown-links.service';
import { StaticController } from './static.controller';

/** Stands before the short codes, so that `{code}+` is found (contract 15). */
@Module({
  imports: [LinkCacheModule],
  controllers: [HomeController, ResultController, StaticController, PreviewController],
  providers: [PreviewService, ResultService, LinkPagesService],
})
export class PagesModule {}

import { Module } from '@nestjs/common';
import { LinkCacheModule } from '../../links/cache/link-cache.module';
import { RedirectModule } from '../redirect.module';
import { LinkPasswordController } from './link-password.controller';
import { LinkPasswordService } from './link-password.service';
import { LinkPasswordVerifierModule } from './link-password-verifier.module';

@Module({
  imports: [LinkCacheModule, LinkPasswordVerifierModule, RedirectModule],
  controllers: [LinkPasswordController],
  providers: [LinkPasswordService],
  exports: [LinkPasswordService],
})
export class LinkPasswordModule {}

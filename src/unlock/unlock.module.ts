import { MiddlewareConsumer, Module, NestModule, RequestMethod } from '@nestjs/common';
import { formBodies } from '../http/form-bodies';
import { LinkCacheModule } from '../links/lookup/lookup.module';
import { RedirectModule } from '../redirect/redirect.module';
import { LinkPasswordVerifierModule } from './password-gate.module';
import { LinkPasswordController } from './unlock.controller';
import { LinkPasswordService } from './unlock.service';

@Module({
  imports: [LinkCacheModule, LinkPasswordVerifierModule, RedirectModule],
  controllers: [LinkPasswordController],
  providers: [LinkPasswordService],
  exports: [LinkPasswordService],
})
export class LinkPasswordModule implements NestModule {
  configure(consumer: MiddlewareConsumer): void {
    consumer
      .apply(...formBodies())
      .forRoutes({ path: ':code/password', method: RequestMethod.POST });
  }
}

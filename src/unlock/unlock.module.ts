import { MiddlewareConsumer, Module, NestModule, RequestMethod } from '@nestjs/common';
import { formBodies } from '../http/form-bodies';
import { LookupModule } from '../links/lookup/lookup.module';
import { RedirectModule } from '../redirect/redirect.module';
import { PasswordGateModule } from './password-gate.module';
import { UnlockController } from './unlock.controller';
import { UnlockService } from './unlock.service';

@Module({
  imports: [LookupModule, PasswordGateModule, RedirectModule],
  controllers: [UnlockController],
  providers: [UnlockService],
  exports: [UnlockService],
})
export class UnlockModule implements NestModule {
  configure(consumer: MiddlewareConsumer): void {
    consumer
      .apply(...formBodies())
      .forRoutes({ path: ':code/password', method: RequestMethod.POST });
  }
}

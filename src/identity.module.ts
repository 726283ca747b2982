import { Global, Module } from '@nestjs/common';
import { Authenticator } from './access/authenticator';
import { AccountsModule } from './accounts/accounts.module';
import { ApiKeysModule } from './api-keys/api-keys.module';
import { Identity } from './identity';
import { BackgroundModule } from './platform/background/background.module';
import { MailModule } from './platform/mail/mail.module';

/** Binds the access floor's port; the rooms behind it bring their routes along. */
@Global()
@Module({
  imports: [BackgroundModule, MailModule, AccountsModule, ApiKeysModule],
  providers: [{ provide: Authenticator, useClass: Identity }],
  exports: [Authenticator],
})
export class IdentityModule {}

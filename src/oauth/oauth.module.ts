import { Module } from '@nestjs/common';
import { AccountsModule } from '../accounts/accounts.module';
import { LinkedProvidersController } from './linked-providers.controller';
import { LinkedProvidersService } from './linked-providers.service';
import { OauthController } from './oauth.controller';
import { OauthService } from './oauth.service';
import { AccountLinkingService, ProviderSignInService } from './provider-sign-in.service';
import { OauthProviders } from './providers/oauth-provider';
import { StateStoreModule } from './states/state-store.module';
import { StatesService } from './states/states.service';

@Module({
  imports: [AccountsModule, StateStoreModule],
  controllers: [LinkedProvidersController, OauthController],
  providers: [
    AccountLinkingService,
    LinkedProvidersService,
    OauthService,
    OauthProviders,
    ProviderSignInService,
    StatesService,
  ],
})
export class OauthModule {}

import { Injectable, Module } from '@nestjs/common';
import { AccountsModule } from '../accounts/accounts.module';
import { ExpiredDocuments } from '../infrastructure/mongo/expired-documents';
import { AccountLinkingService } from './account-linking.service';
import { LinkedProvidersController } from './linked-providers.controller';
import { LinkedProvidersService } from './linked-providers.service';
import { OauthController } from './oauth.controller';
import { OauthService } from './oauth.service';
import { ProviderSignInService } from './provider-sign-in.service';
import { OauthProviders } from './providers/oauth-providers';
import { StateStoreModule } from './states/state-store.module';
import { StatesRepository } from './states/states.repository';
import { StatesService } from './states/states.service';

@Injectable()
export class StateExpiry {
  constructor(documents: ExpiredDocuments, states: StatesRepository) {
    documents.register('OAuth states', (now) => states.purgeExpired(now));
  }
}

@Module({
  imports: [AccountsModule, StateStoreModule],
  controllers: [LinkedProvidersController, OauthController],
  providers: [
    AccountLinkingService,
    LinkedProvidersService,
    OauthService,
    OauthProviders,
    ProviderSignInService,
    StateExpiry,
    StatesService,
  ],
})
export class OauthModule {}

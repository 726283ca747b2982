import { Module } from '@nestjs/common';
import { MongooseModule } from '@nestjs/mongoose';
import { AccountsModule } from '../accounts/accounts.module';
import { AccountLinkingService } from './account-linking.service';
import { LinkedProvidersController } from './linked-providers.controller';
import { LinkedProvidersService } from './linked-providers.service';
import { OauthController } from './oauth.controller';
import { OauthService } from './oauth.service';
import { ProviderSignInService } from './provider-sign-in.service';
import { OauthProviders } from './providers/oauth-providers';
import { BrowserBinding } from './states/browser-mark';
import { StateExpiry } from './states/state-expiry';
import { StateRecord, StateSchema } from './states/state.schema';
import { StatesRepository } from './states/states.repository';
import { StatesService } from './states/states.service';

@Module({
  imports: [
    AccountsModule,
    MongooseModule.forFeature([{ name: StateRecord.name, schema: StateSchema }]),
  ],
  controllers: [LinkedProvidersController, OauthController],
  providers: [
    AccountLinkingService,
    BrowserBinding,
    LinkedProvidersService,
    OauthService,
    OauthProviders,
    ProviderSignInService,
    StateExpiry,
    StatesService,
    StatesRepository,
  ],
})
export class OauthModule {}

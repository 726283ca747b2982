import { Module } from '@nestjs/common';
import { MongooseModule } from '@nestjs/mongoose';
import { AccountsModule } from '../accounts/accounts.module';
import { AccountLinking } from './account-linking.service';
import { LinkedProvidersController } from './linked-providers.controller';
import { LinkedProviders } from './linked-providers.service';
import { OauthController } from './oauth.controller';
import { Oauth } from './oauth.service';
import { ProviderSignIn } from './provider-sign-in.service';
import { OauthProviders } from './providers/oauth-providers';
import { BrowserMark } from './states/browser-mark';
import { StateExpiry } from './states/state-expiry';
import { StateRecord, StateSchema } from './states/state.schema';
import { StatesRepository } from './states/states.repository';
import { States } from './states/states.service';

@Module({
  imports: [
    AccountsModule,
    MongooseModule.forFeature([{ name: StateRecord.name, schema: StateSchema }]),
  ],
  controllers: [LinkedProvidersController, OauthController],
  providers: [
    AccountLinking,
    BrowserMark,
    LinkedProviders,
    Oauth,
    OauthProviders,
    ProviderSignIn,
    StateExpiry,
    States,
    StatesRepository,
  ],
})
export class OauthModule {}

import { Injectable } from '@nestjs/common';
import { SiteOptions } from '../config/options';
import type { Client } from '../infrastructure/client-address/client-address';
import type { Principal } from '../auth/access';
import type { MessageResponse } from '../accounts/account/account.response';
import { AccountsService } from '../accounts/sign-in/accounts.service';
import { IdentitiesRepository } from '../accounts/identities/identities.repository';
import { AccountMailsService } from '../accounts/mails/account-mails.service';
import { pictureWithout } from './provider-identity';
import { LastWayInError, NotLinkedError } from './providers/oauth.errors';
import { type LinkedProvidersResponse, toLinkedProvider } from './oauth.response';
import { OauthProviders } from './providers/oauth-provider';

@Injectable()
export class LinkedProvidersService {
  constructor(
    private readonly accounts: AccountsService,
    private readonly identities: IdentitiesRepository,
    private readonly providers: OauthProviders,
    private readonly mails: AccountMailsService,
    private readonly site: SiteOptions,
  ) {}

  async list(principal: Principal): Promise<LinkedProvidersResponse> {
    const { identities, passwordHash } = await this.accounts.demand(principal);
    return { providers: identities.map(toLinkedProvider), password_set: passwordHash !== null };
  }

  /** Never removes the last usable sign-in method, even under concurrent requests. */
  async unlink(principal: Principal, name: string, client: Client): Promise<MessageResponse> {
    const account = await this.accounts.demand(principal);
    const isLinked = account.identities.some(({ provider }) => provider === name);
    if (!isLinked) throw new NotLinkedError();
    const others = this.providers.names.filter((candidate) => candidate !== name);
    const picture = pictureWithout(account, name);
    const remaining = { others, password: this.site.passwordSignIn };
    if (await this.identities.remove(account, name, remaining, picture)) {
      const provider = this.providers.findTitle(name);
      this.mails.notify(account.id, { what: 'provider unlinked', provider }, client);
      return { success: true, message: 'The provider is no longer linked' };
    }
    const { identities } = await this.accounts.demand(principal);
    const isStill = identities.some(({ provider }) => provider === name);
    throw isStill ? new LastWayInError() : new NotLinkedError();
  }
}

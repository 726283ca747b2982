import { Injectable } from '@nestjs/common';
import type { Client } from '../platform/address/client';
import type { Principal } from '../access/principal';
import type { LinkedIdentity } from '../accounts/account';
import type { MessageAnswer } from '../accounts/accounts.answers';
import { Accounts } from '../accounts/accounts.service';
import { IdentitiesRepository } from '../accounts/identities/identities.repository';
import { AccountMails } from '../accounts/mails/account-mails.service';
import { pictureWithout } from './identity-of';
import { LastWayInError, NotLinkedError } from './oauth.errors';
import type { LinkedProvider, LinkedProvidersAnswer } from './oauth.answers';
import { OauthProviders } from './providers/oauth-providers';

/** The providers of an account. */
@Injectable()
export class LinkedProviders {
  constructor(
    private readonly accounts: Accounts,
    private readonly identities: IdentitiesRepository,
    private readonly providers: OauthProviders,
    private readonly mails: AccountMails,
  ) {}

  async list(principal: Principal): Promise<LinkedProvidersAnswer> {
    const { identities, passwordHash } = await this.accounts.demand(principal);
    return { providers: identities.map(present), password_set: passwordHash !== null };
  }

  /**
   * Removes a provider, never the last way in: of two that are unlinked at once, one stays. A
   * provider that is no longer set up is no way in.
   */
  async unlink(principal: Principal, name: string, client: Client): Promise<MessageAnswer> {
    const account = await this.accounts.demand(principal);
    const isLinked = account.identities.some(({ provider }) => provider === name);
    if (!isLinked) throw new NotLinkedError();
    const others = this.providers.names.filter((other) => other !== name);
    const picture = pictureWithout(account, name);
    if (await this.identities.remove(account, name, others, picture)) {
      const provider = this.providers.titleOf(name);
      this.mails.notify(account.id, { what: 'provider unlinked', provider }, client);
      return { success: true, message: 'The provider is no longer linked' };
    }
    const { identities } = await this.accounts.demand(principal);
    const isStill = identities.some(({ provider }) => provider === name);
    throw isStill ? new LastWayInError() : new NotLinkedError();
  }
}

function present(identity: LinkedIdentity): LinkedProvider {
  const { provider, email, emailVerified, linkedAt, name, picture } = identity;
  return {
    provider,
    email,
    email_verified: emailVerified,
    linked_at: linkedAt.toISOString(),
    profile: { name, picture },
  };
}

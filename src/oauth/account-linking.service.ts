import { Injectable } from '@nestjs/common';
import { AccountLeavingError } from '../auth/access.errors';
import type { Client } from '../infrastructure/client-address/client-address';
import { type Account, isLeaving } from '../accounts/account/account';
import { AccountsRepository } from '../accounts/account/accounts.repository';
import { IdentityTakenError } from '../accounts/account/accounts.errors';
import { IdentitiesRepository } from '../accounts/identities/identities.repository';
import { AccountMailsService } from '../accounts/mails/account-mails.service';
import { SessionsService } from '../accounts/sessions/sessions.service';
import { toLinkedIdentity, pictureWith, provesEmail } from './provider-identity';
import { EmailDiffersError, LinkEndedError, ProviderLinkedError } from './providers/oauth.errors';
import type { OauthProvider } from './providers/oauth-provider';
import type { ProviderProfile } from './providers/provider-profile';
import type { LinkTarget } from './states/state';

@Injectable()
export class AccountLinkingService {
  constructor(
    private readonly accounts: AccountsRepository,
    private readonly identities: IdentitiesRepository,
    private readonly sessions: SessionsService,
    private readonly mails: AccountMailsService,
  ) {}

  /** Also marks the account's email as verified if the provider has verified it. */
  async link(
    target: LinkTarget,
    provider: OauthProvider,
    profile: ProviderProfile,
    client: Client,
  ): Promise<Account> {
    const account = await this.accounts.findById(target.userId);
    const isLive = await this.sessions.isLive(target.sessionId, target.userId);
    if (!isLive || account?.sessionEpoch !== target.sessionEpoch) throw new LinkEndedError();
    if (isLeaving(account)) throw new AccountLeavingError();
    const { email, subject } = profile;
    const owner = await this.identities.findOwner(provider.name, subject);
    if (owner !== null && owner.id !== account.id) throw new IdentityTakenError();
    const isLinked = account.identities.some((known) => known.provider === provider.name);
    if (isLinked) throw new ProviderLinkedError(provider.title);
    if (email !== account.email) throw new EmailDiffersError(provider.title);
    const identity = toLinkedIdentity(provider.name, { ...profile, email }, new Date());
    const emailVerified = account.emailVerified || provesEmail(account, identity);
    const picture = pictureWith(account, identity);
    const linked = await this.identities.add(account, identity, { emailVerified, picture });
    if (emailVerified && !account.emailVerified) this.mails.welcome(linked);
    this.mails.notify(linked.id, { what: 'provider linked', provider: provider.title }, client);
    return linked;
  }
}

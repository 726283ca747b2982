import { Injectable } from '@nestjs/common';
import type { Client } from '../infrastructure/client-address/client-address';
import {
  type Account,
  isLeaving,
  type LinkedIdentity,
  readNewEmail,
  SignInLog,
} from '../accounts/account/account';
import {
  AccountChangedError,
  EmailTakenError,
  IdentityTakenError,
} from '../accounts/account/accounts.errors';
import { AccountsRepository } from '../accounts/account/accounts.repository';
import { IdentitiesRepository } from '../accounts/identities/identities.repository';
import { AccountMailsService } from '../accounts/mails/account-mails.service';
import { RegistrationPolicy } from '../accounts/sign-in/accounts.service';
import { SessionsService } from '../accounts/sessions/sessions.service';
import { AccountLeavingError } from '../auth/access.errors';
import { pictureWith, provesEmail, toLinkedIdentity, toPicture } from './provider-identity';
import {
  EmailDiffersError,
  EmailMissingError,
  EmailUnprovenError,
  LinkEndedError,
  ProviderLinkedError,
} from './providers/oauth.errors';
import type { OauthProvider, ProviderProfile } from './providers/oauth-provider';
import type { LinkTarget } from './states/state';

/** Errors that a concurrent request causes and a retry resolves. */
const CONTENTION = [AccountChangedError, EmailTakenError, IdentityTakenError];
const MAX_LOOKS = 5;

@Injectable()
export class ProviderSignInService {
  constructor(
    private readonly accounts: AccountsRepository,
    private readonly identities: IdentitiesRepository,
    private readonly sessions: SessionsService,
    private readonly mails: AccountMailsService,
    private readonly registration: RegistrationPolicy,
    private readonly signIns: SignInLog,
  ) {}

  async accountFor(
    provider: OauthProvider,
    profile: ProviderProfile,
    client: Client,
  ): Promise<Account> {
    for (let left = MAX_LOOKS; ; left--) {
      try {
        return await this.find(provider, profile, client);
      } catch (error) {
        if (left === 1 || !CONTENTION.some((kind) => error instanceof kind)) throw error;
      }
    }
  }

  private async find(
    provider: OauthProvider,
    profile: ProviderProfile,
    client: Client,
  ): Promise<Account> {
    const owner = await this.identities.findOwner(provider.name, profile.subject);
    if (owner !== null) return this.known(owner, provider, profile);
    const { email } = profile;
    if (email === null) throw new EmailMissingError(provider.title);
    const identity = toLinkedIdentity(provider.name, { ...profile, email }, new Date());
    const account = await this.accounts.findByEmail(email);
    if (account === null) {
      if (readNewEmail(email) === null) throw new EmailMissingError(provider.title);
      return this.create(identity, client);
    }
    if (!identity.emailVerified) throw new EmailUnprovenError(provider.title);
    if (!account.emailVerified) return this.takeOver(account, identity);
    const joined = await this.join(account, identity);
    this.mails.notify(joined.id, { what: 'provider linked', provider: provider.title }, client);
    return joined;
  }

  /** Updates the stored profile. The address becomes verified if the provider has verified it. */
  private async known(
    account: Account,
    { name }: OauthProvider,
    profile: ProviderProfile,
  ): Promise<Account> {
    const before = identityAt(account, name);
    if (before === undefined) throw new AccountChangedError();
    const email = profile.email ?? before.email;
    const vouched = profile.email === null ? before.emailVerified : profile.emailVerified;
    const linkedAt = before.linkedAt;
    const identity = toLinkedIdentity(
      name,
      { ...profile, email, emailVerified: vouched },
      linkedAt,
    );
    const verified = account.emailVerified || provesEmail(account, identity);
    const standing = { emailVerified: verified, picture: pictureWith(account, identity) };
    const after = await this.identities.replace(account, before, identity, standing);
    if (verified && !account.emailVerified) this.mails.welcome(after);
    return after;
  }

  private async create(identity: LinkedIdentity, client: Client): Promise<Account> {
    const { email, emailVerified, name } = identity;
    this.registration.demand(email, emailVerified);
    const account = await this.accounts.insert(
      {
        email,
        emailVerified,
        userName: name,
        passwordHash: null,
        identities: [identity],
        picture: toPicture(identity),
      },
      new Date(),
    );
    this.signIns.registered(client, account, identity.provider);
    if (emailVerified) this.mails.welcome(account);
    return account;
  }

  /** For an address that both sides have verified. Replaces the provider's earlier identity. */
  private join(account: Account, identity: LinkedIdentity): Promise<Account> {
    const standing = { emailVerified: true, picture: pictureWith(account, identity) };
    const earlier = identityAt(account, identity.provider);
    return earlier === undefined
      ? this.identities.add(account, identity, standing)
      : this.identities.replace(account, earlier, identity, standing);
  }

  /** Removes the password, sessions and identities, so that the account's creator loses access. */
  private async takeOver(account: Account, identity: LinkedIdentity): Promise<Account> {
    const standing = { emailVerified: true, picture: toPicture(identity) };
    const taken = await this.identities.takeOver(account, identity, standing);
    await this.sessions.endAllSessions(account.id);
    this.mails.welcome(taken);
    return taken;
  }
}

function identityAt(account: Account, name: string): LinkedIdentity | undefined {
  return account.identities.find(({ provider }) => provider === name);
}

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

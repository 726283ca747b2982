import { Injectable } from '@nestjs/common';
import { type Account, SignInLog } from '../accounts/account/account';
import { SessionEndedError } from '../accounts/account/accounts.errors';
import { AccountsService } from '../accounts/sign-in/accounts.service';
import { AdminsService } from '../accounts/admin-role/admins.service';
import { SessionAnswer, type SignInOrigin } from '../accounts/sessions/session';
import { SessionsService } from '../accounts/sessions/sessions.service';
import type { Principal } from '../auth/access';
import { safeReturnPath } from '../common/return-path';
import { ProviderFailedError, SignInDeniedError } from './providers/oauth.errors';
import { AccountLinkingService, ProviderSignInService } from './provider-sign-in.service';
import { type OauthProvider, OauthProviders } from './providers/oauth-provider';
import type { LinkTarget, PendingAttempt } from './states/state';
import { StartedAttempt, StatesService } from './states/states.service';

/** The callback's query. Repeated parameters count as missing. */
export class CallbackParameters {
  readonly parameters: URLSearchParams;

  /** @param url the request's path and query */
  constructor(url: string) {
    const question = url.indexOf('?');
    this.parameters = new URLSearchParams(question < 0 ? '' : url.slice(question + 1));
  }

  /** Returns null if the parameter is missing, empty or repeated. */
  readOnce(name: string): string | null {
    const values = this.parameters.getAll(name);
    return values.length === 1 ? values[0] || null : null;
  }
}

export interface RedirectResult {
  readonly url: string;
}

@Injectable()
export class OauthService {
  constructor(
    private readonly providers: OauthProviders,
    private readonly states: StatesService,
    private readonly accounts: AccountsService,
    private readonly signIns: ProviderSignInService,
    private readonly linking: AccountLinkingService,
    private readonly sessions: SessionsService,
    private readonly signInLog: SignInLog,
    private readonly admins: AdminsService,
  ) {}

  startSignIn(name: string, next: unknown, browser: string | null): Promise<StartedAttempt> {
    return this.start(name, next, null, browser);
  }

  async startLink(
    name: string,
    next: unknown,
    principal: Principal,
    browser: string | null,
  ): Promise<StartedAttempt> {
    const { id: userId, sessionEpoch } = await this.accounts.demand(principal);
    const { sessionId } = principal;
    if (sessionId === null) throw new SessionEndedError();
    return this.start(name, next, { userId, sessionEpoch, sessionId }, browser);
  }

  async finish(
    name: string,
    answer: CallbackParameters,
    browser: string | null,
    origin: SignInOrigin,
  ): Promise<SessionAnswer<RedirectResult>> {
    const { client } = origin;
    const provider = this.providers.demand(name);
    const attempt = await this.states.takeAttempt(provider.name, answer.readOnce('state'), browser);
    const profile = await fetchProfile(provider, answer, attempt).catch((error: unknown) => {
      this.signInLog.failed(client, null, `${provider.name} did not complete the sign-in`);
      throw error;
    });
    const account =
      attempt.link === null
        ? await this.signIns.accountFor(provider, profile, client)
        : await this.linking.link(attempt.link, provider, profile, client);
    await this.admins.grantIfListed(account);
    const session = await this.sessions.start(account, [provider.name], origin);
    return new SessionAnswer({ url: landingPath(attempt, account) }, session);
  }

  private async start(
    name: string,
    next: unknown,
    link: LinkTarget | null,
    presented: string | null,
  ): Promise<StartedAttempt> {
    const provider = this.providers.demand(name);
    const purpose = { next: safeReturnPath(next), link };
    const { proof, browser } = await this.states.begin(provider.name, purpose, presented);
    const url = await asking(provider, () => provider.authorizationUrl(proof));
    return new StartedAttempt(url, browser);
  }
}

/** Users with an unverified address must verify it first. */
function landingPath({ link, next }: PendingAttempt, account: Account): string {
  return link === null && !account.emailVerified ? '/register/verify' : next;
}

async function fetchProfile(
  provider: OauthProvider,
  answer: CallbackParameters,
  { proof }: PendingAttempt,
): ReturnType<OauthProvider['profile']> {
  const refused = answer.parameters.has('error') || answer.readOnce('code') === null;
  if (refused) throw new SignInDeniedError(provider.title, answer.readOnce('error'));
  return asking(provider, () => provider.profile(answer.parameters, proof));
}

async function asking<T>(provider: OauthProvider, question: () => Promise<T>): Promise<T> {
  try {
    return await question();
  } catch (error) {
    throw new ProviderFailedError(provider.title, error);
  }
}

import { Injectable } from '@nestjs/common';
import type { Request, Response } from 'express';
import type { Client } from '../platform/address/client';
import type { Principal } from '../access/principal';
import { AccountsService } from '../accounts/accounts.service';
import { SignInService } from '../accounts/sessions/sign-in.service';
import { AccountLinkingService } from './account-linking.service';
import { CallbackParameters } from './callback-answer';
import { safeReturnPath } from './landing-path';
import { ProviderFailedError, SignInDeniedError } from './oauth.errors';
import { ProviderSignInService } from './provider-sign-in.service';
import type { OauthProvider } from './providers/oauth-provider';
import { OauthProviders } from './providers/oauth-providers';
import type { LinkTarget, PendingAttempt } from './states/pending-attempt';
import { StatesService } from './states/states.service';

/** Where the browser is sent to. */
export interface RedirectResult {
  readonly url: string;
}

/** A browser's way to a provider and back (contract 12.6). */
@Injectable()
export class OauthService {
  constructor(
    private readonly providers: OauthProviders,
    private readonly states: StatesService,
    private readonly accounts: AccountsService,
    private readonly signIns: ProviderSignInService,
    private readonly linking: AccountLinkingService,
    private readonly signIn: SignInService,
  ) {}

  startSignIn(
    name: string,
    next: unknown,
    request: Request,
    response: Response,
  ): Promise<RedirectResult> {
    return this.depart(name, next, null, request, response);
  }

  async startLink(
    name: string,
    next: unknown,
    principal: Principal,
    request: Request,
    response: Response,
  ): Promise<RedirectResult> {
    const { id: userId, sessionEpoch } = await this.accounts.demand(principal);
    const { sessionId } = principal;
    return this.depart(name, next, { userId, sessionEpoch, sessionId }, request, response);
  }

  /** Ends what a start began: links if that was asked for, and signs in. */
  async finish(
    name: string,
    client: Client,
    request: Request,
    response: Response,
  ): Promise<RedirectResult> {
    const provider = this.providers.demand(name);
    const answer = new CallbackParameters(request);
    const attempt = await this.states.take(provider.name, answer.one('state'), request);
    const profile = await profileOf(provider, answer, attempt);
    const account =
      attempt.link === null
        ? await this.signIns.accountFor(provider, profile, client)
        : await this.linking.link(attempt.link, provider, profile, client);
    await this.signIn.open(account, [provider.name], response);
    return { url: attempt.next };
  }

  private async depart(
    name: string,
    next: unknown,
    link: LinkTarget | null,
    request: Request,
    response: Response,
  ): Promise<RedirectResult> {
    const provider = this.providers.demand(name);
    const purpose = { next: safeReturnPath(next), link };
    const proof = await this.states.begin(provider.name, purpose, request, response);
    return { url: await asking(provider, () => provider.authorizationUrl(proof)) };
  }
}

async function profileOf(
  provider: OauthProvider,
  answer: CallbackParameters,
  { proof }: PendingAttempt,
): ReturnType<OauthProvider['profile']> {
  const refused = answer.parameters.has('error') || answer.one('code') === null;
  if (refused) throw new SignInDeniedError(provider.title, answer.one('error'));
  return asking(provider, () => provider.profile(answer.parameters, proof));
}

async function asking<T>(provider: OauthProvider, question: () => Promise<T>): Promise<T> {
  try {
    return await question();
  } catch (error) {
    throw new ProviderFailedError(provider.title, error);
  }
}

import { Injectable } from '@nestjs/common';
import type { Request, Response } from 'express';
import type { Client } from '../platform/address/client';
import type { Principal } from '../access/principal';
import { Accounts } from '../accounts/accounts.service';
import { SignIn } from '../accounts/sessions/sign-in.service';
import { AccountLinking } from './account-linking.service';
import { CallbackAnswer } from './callback-answer';
import { landingPath } from './landing-path';
import { ProviderFailedError, SignInDeniedError } from './oauth.errors';
import { ProviderSignIn } from './provider-sign-in.service';
import type { OauthProvider } from './providers/oauth-provider';
import { OauthProviders } from './providers/oauth-providers';
import type { LinkTarget, PendingAttempt } from './states/pending-attempt';
import { States } from './states/states.service';

/** Where the browser is sent to. */
export interface Departure {
  readonly url: string;
}

/** A browser's way to a provider and back (contract 12.6). */
@Injectable()
export class Oauth {
  constructor(
    private readonly providers: OauthProviders,
    private readonly states: States,
    private readonly accounts: Accounts,
    private readonly signIns: ProviderSignIn,
    private readonly linking: AccountLinking,
    private readonly signIn: SignIn,
  ) {}

  startSignIn(
    name: string,
    next: unknown,
    request: Request,
    response: Response,
  ): Promise<Departure> {
    return this.depart(name, next, null, request, response);
  }

  async startLink(
    name: string,
    next: unknown,
    principal: Principal,
    request: Request,
    response: Response,
  ): Promise<Departure> {
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
  ): Promise<Departure> {
    const provider = this.providers.demand(name);
    const answer = new CallbackAnswer(request);
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
  ): Promise<Departure> {
    const provider = this.providers.demand(name);
    const purpose = { next: landingPath(next), link };
    const proof = await this.states.begin(provider.name, purpose, request, response);
    return { url: await asking(provider, () => provider.authorizationUrl(proof)) };
  }
}

async function profileOf(
  provider: OauthProvider,
  answer: CallbackAnswer,
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

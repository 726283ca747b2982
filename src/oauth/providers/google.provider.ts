import type { GoogleOptions } from '../../config/options';
import { type GoogleStrategy, runStrategy } from './google.strategy';
import type { OauthProvider, Proof } from './oauth-provider';
import { type ProviderProfile, profileFrom } from './provider-profile';

/** Google, through its passport strategy, which is loaded with the first sign-in. */
export class GoogleProvider implements OauthProvider {
  readonly name = 'google';
  readonly title = 'Google';
  private strategy?: Promise<GoogleStrategy>;

  constructor(
    private readonly options: GoogleOptions,
    private readonly redirectUri: string,
  ) {}

  async authorizationUrl(proof: Proof): Promise<string> {
    const outcome = await runStrategy(await this.open(), {}, proof);
    if (outcome.kind !== 'redirect') throw new Error('Google was not asked for anything');
    return outcome.url;
  }

  async profile(answer: URLSearchParams, proof: Proof): Promise<ProviderProfile> {
    const query = { code: answer.get('code') ?? '' };
    const outcome = await runStrategy(await this.open(), query, proof);
    if (outcome.kind !== 'claims') throw new Error('Google did not say who it is');
    return profileFrom(outcome.claims);
  }

  private open(): Promise<GoogleStrategy> {
    this.strategy ??= import('./google.strategy.js').then(
      ({ GoogleStrategy: Strategy }) => new Strategy(this.options, this.redirectUri),
    );
    return this.strategy;
  }
}

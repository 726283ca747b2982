import type { Oauth2Settings } from '../../config/sign-in-providers';
import { GoogleStrategy, runStrategy } from './google.strategy';
import type { OauthProtocol, Proof } from './oauth-provider';
import { type ProviderProfile, profileFrom } from './provider-profile';

export default class GoogleProtocol implements OauthProtocol {
  private readonly strategy: GoogleStrategy;

  constructor(settings: Oauth2Settings, redirectUri: string) {
    this.strategy = new GoogleStrategy(settings, redirectUri);
  }

  async authorizationUrl(proof: Proof): Promise<string> {
    const outcome = await runStrategy(this.strategy, {}, proof);
    if (outcome.kind !== 'redirect') throw new Error('The Google strategy did not redirect');
    return outcome.url;
  }

  async profile(answer: URLSearchParams, proof: Proof): Promise<ProviderProfile> {
    const query = { code: answer.get('code') ?? '' };
    const outcome = await runStrategy(this.strategy, query, proof);
    if (outcome.kind !== 'claims') throw new Error('Google returned no profile');
    return profileFrom(outcome.claims);
  }
}

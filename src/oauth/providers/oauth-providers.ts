import { Injectable } from '@nestjs/common';
import { HttpOptions, OauthOptions } from '../../config/options';
import { UnknownProviderError } from '../oauth.errors';
import { Oauth2Provider } from './oauth2.provider';
import type { OauthProvider } from './oauth-provider';
import { OidcProvider } from './oidc.provider';

/** The providers that the operator has set up. */
@Injectable()
export class OauthProviders {
  private readonly all: readonly OauthProvider[];

  constructor({ providers }: OauthOptions, { baseUrl }: HttpOptions) {
    this.all = providers.map((settings) => {
      const redirectUri = `${baseUrl}/oauth/${settings.name}/callback`;
      return settings.name === 'oidc'
        ? new OidcProvider(settings, redirectUri)
        : new Oauth2Provider(settings, redirectUri);
    });
  }

  get names(): string[] {
    return this.all.map(({ name }) => name);
  }

  /** What people call the provider; its path name when it is no longer set up. */
  titleOf(name: string): string {
    return this.all.find((candidate) => candidate.name === name)?.title ?? name;
  }

  /** The provider of a path; 404 when there is none or it is not set up. */
  demand(name: string): OauthProvider {
    const provider = this.all.find((candidate) => candidate.name === name);
    if (provider === undefined) throw new UnknownProviderError();
    return provider;
  }
}

import { Injectable } from '@nestjs/common';
import { HttpOptions, OauthOptions } from '../../config/options';
import type { SignInProvider } from '../../config/sign-in-providers';
import { UnknownProviderError } from './oauth.errors';
import type { OauthProtocol, OauthProvider, Proof } from './oauth-provider';
import type { ProviderProfile } from './provider-profile';

interface Implementation {
  readonly default: new (settings: SignInProvider, redirectUri: string) => OauthProtocol;
}

/** A configured provider, whose implementation is loaded on the first sign-in. */
class ConfiguredProvider implements OauthProvider {
  readonly name: SignInProvider['name'];
  readonly title: string;
  private protocol?: Promise<OauthProtocol>;

  constructor(
    private readonly settings: SignInProvider,
    private readonly redirectUri: string,
  ) {
    ({ name: this.name, title: this.title } = settings);
  }

  async authorizationUrl(proof: Proof): Promise<string> {
    return (await this.open()).authorizationUrl(proof);
  }

  async profile(answer: URLSearchParams, proof: Proof): Promise<ProviderProfile> {
    return (await this.open()).profile(answer, proof);
  }

  private open(): Promise<OauthProtocol> {
    this.protocol ??= import(`./${this.settings.implementation}`).then(
      ({ default: Protocol }: Implementation) => new Protocol(this.settings, this.redirectUri),
    );
    return this.protocol;
  }
}

@Injectable()
export class OauthProviders {
  private readonly all: readonly OauthProvider[];

  constructor({ providers }: OauthOptions, { baseUrl }: HttpOptions) {
    this.all = providers.map(
      (settings) => new ConfiguredProvider(settings, `${baseUrl}/oauth/${settings.name}/callback`),
    );
  }

  get names(): string[] {
    return this.all.map(({ name }) => name);
  }

  /** Returns the display name, or the path name for a provider that is no longer configured. */
  findTitle(name: string): string {
    return this.all.find((candidate) => candidate.name === name)?.title ?? name;
  }

  /** @throws UnknownProviderError */
  demand(name: string): OauthProvider {
    const provider = this.all.find((candidate) => candidate.name === name);
    if (provider === undefined) throw new UnknownProviderError();
    return provider;
  }
}

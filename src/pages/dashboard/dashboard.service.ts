import { Injectable } from '@nestjs/common';
import { AccountsService } from '../../accounts/sign-in/accounts.service';
import { AuthenticationError } from '../../common/errors';
import type { Principal } from '../../auth/principal';
import { version } from '../../common/package-info';
import { site } from '../../common/site';
import { HttpOptions, OauthOptions } from '../../config/options';
import { readAppBuild } from './app-files';
import { shell, type ShellData, type Theme } from './shell';

export interface DashboardVisitor {
  readonly principal: Principal | null;
  /** Whether the browser has a refresh token, which may be invalid. */
  readonly canRenew: boolean;
  readonly theme: Theme | null;
  /** Number of claim tokens in the browser (docs/contract.md#31.4). */
  readonly claimable: number;
}

@Injectable()
export class DashboardService {
  readonly build = readAppBuild();

  constructor(
    private readonly accounts: AccountsService,
    private readonly http: HttpOptions,
    private readonly oauth: OauthOptions,
  ) {}

  /** Returns null if the visitor must sign in first. */
  async shellFor({
    principal,
    canRenew,
    theme,
    claimable,
  }: DashboardVisitor): Promise<string | null> {
    const account = await this.findAccount(principal);
    if (account === null && !canRenew) return null;
    return shell(this.build.entry, { account, claimable, features: this.features() }, theme);
  }

  private async findAccount(principal: Principal | null): Promise<object | null> {
    if (principal === null) return null;
    try {
      return (await this.accounts.profile(principal)).user;
    } catch (error) {
      if (error instanceof AuthenticationError) return null;
      throw error;
    }
  }

  private features(): ShellData['features'] {
    return {
      site_name: site().name,
      home_url: site().homeUrl,
      base_url: this.http.baseUrl,
      version: version(),
      password_sign_in: site().passwordSignIn,
      providers: this.oauth.providers.map(({ name, title }) => ({ name, label: title })),
    };
  }
}

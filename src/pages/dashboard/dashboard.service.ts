import { Injectable } from '@nestjs/common';
import { AccountsService } from '../../accounts/sign-in/accounts.service';
import { AuthenticationError } from '../../common/errors';
import type { Principal } from '../../auth/access';
import { version } from '../../common/package-info';
import { formPath, site } from '../../common/site';
import { HttpOptions, OauthOptions } from '../../config/options';
import { html, Html } from '../../common/http/page';
import { type AppEntry, readAppBuild } from './app-files';

/** Forbids inline content, other hosts and text parsed as markup (docs/contract.md#18.2). */
export const APP_POLICY = [
  "default-src 'self'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' blob:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'self'",
  "frame-ancestors 'none'",
  "object-src 'none'",
  "require-trusted-types-for 'script'",
  "trusted-types 'none'",
].join('; ');

interface ShellData {
  /** The user object (docs/contract.md#12.1); null until the app has renewed its session. */
  readonly account: object | null;
  /** Number of anonymous links in this browser that the account can claim. */
  readonly claimable: number;
  readonly features: {
    readonly site_name: string;
    readonly home_url: string;
    readonly base_url: string;
    readonly version: string;
    readonly password_sign_in: boolean;
    readonly providers: readonly { readonly name: string; readonly label: string }[];
  };
}

type Theme = 'light' | 'dark';

/** @param theme null for the system theme */
function shell(entry: AppEntry | null, data: ShellData, theme: Theme | null): string {
  return html`<!doctype html>
    <html lang="en" ${theme !== null && html`data-theme="${theme}"`}>
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <meta name="robots" content="noindex" />
        <title>${site().name}</title>
        <link rel="icon" href="/favicon.ico" sizes="48x48" />
        <link rel="icon" href="/static/favicon.svg" sizes="any" type="image/svg+xml" />
        <link rel="manifest" href="/manifest.webmanifest" />
        ${entry?.styles.map((name) => html`<link rel="stylesheet" href="/static/app/${name}" />`)}
        ${entry?.imports.map(
          (name) => html`<link rel="modulepreload" href="/static/app/${name}" />`,
        )}
        <script type="application/json" id="first-answer">
          ${embedded(data)}
        </script>
        ${entry !== null && html`<script type="module" src="/static/app/${entry.script}"></script>`}
      </head>
      <body>
        <div id="app">${entry === null && missing()}</div>
        <noscript>${withoutScript()}</noscript>
      </body>
    </html> `.markup;
}

/** Escapes `<` in JSON, so that it cannot end the script element. */
function embedded(data: ShellData): Html {
  return new Html(JSON.stringify(data).replaceAll('<', '\\u003c'));
}

function missing(): Html {
  return html`<main>
    <h1>The app is not built</h1>
    <p>Run <code>npm run build</code>, then restart the service.</p>
  </main>`;
}

function withoutScript(): Html {
  return html`<main>
    <h1>This page needs JavaScript</h1>
    <p>What works without it:</p>
    <ul>
      <li><a href="${formPath()}">Shorten a link</a> with the form</li>
      <li><a href="/login">Sign in</a> or <a href="/register">create an account</a></li>
      <li>Use <a href="/docs">the API</a>, which can do everything that the app does</li>
    </ul>
  </main>`;
}

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

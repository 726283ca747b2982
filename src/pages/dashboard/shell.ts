import { html, Html } from '../../common/http/html';
import { formPath, site } from '../../common/site';
import type { AppEntry } from './app-files';

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

export interface ShellData {
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

export type Theme = 'light' | 'dark';

/** @param theme null for the system theme */
export function shell(entry: AppEntry | null, data: ShellData, theme: Theme | null): string {
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

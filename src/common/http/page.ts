import { applyDecorators, Header } from '@nestjs/common';
import { ApiOkResponse } from '@nestjs/swagger';
import { site } from '../site';
import { html, Html } from './html';

function policyOf(formAction: string): string {
  return `default-src 'self'; base-uri 'none'; form-action ${formAction}; frame-ancestors 'none'; object-src 'none'`;
}

/** docs/contract.md#1.1: every page of ours, no inline script. */
export const PAGE_POLICY = policyOf("'self'");

/** For a form whose answer leads to another site: browsers hold `form-action` against redirects, too. */
export const LEAVING_FORM_POLICY = policyOf('*');

/** The way out of a page that has nothing to offer: the shortening form, or the operator's home. */
export function wayHome(): Html {
  const { name, homeUrl } = site();
  const label = homeUrl === '/' ? 'Shorten a link' : `To ${name}`;
  return html`<a class="button" href="${homeUrl}">${label}</a>`;
}

/** Who looks at a page, as far as its header shows it. */
export interface Viewer {
  readonly email: string;
  readonly emailVerified: boolean;
}

/** Where the header leads. */
const NAVIGATION = [
  ['/', 'Shorten'],
  ['/stats', 'Statistics'],
  ['/docs', 'API'],
] as const;

export interface PageOptions {
  /** The entry of the header that the page belongs to. */
  readonly current?: (typeof NAVIGATION)[number][0] | '/login' | '/register';
  /** A script of ours that makes the page handier; without it everything works, too. */
  readonly script?: 'copy.js' | 'alias-check.js';
  /** Null where nobody is signed in, or where the page cannot know. */
  readonly viewer?: Viewer | null;
}

/** Ways into an account; `/login` sends on who is signed in already. */
function signIn(current: PageOptions['current']): Html {
  const link = (path: '/login' | '/register', label: string) =>
    html`<a href="${path}" ${path === current && html`aria-current="page"`}>${label}</a>`;
  return html`<nav class="account" aria-label="Account">
    ${link('/login', 'Sign in')} ${site().registration !== 'closed' && link('/register', 'Sign up')}
  </nav>`;
}

function accountMenu({ email, emailVerified }: Viewer): Html {
  return html`<details class="account menu">
    <summary><span dir="auto">${email}</span></summary>
    <nav aria-label="Account">
      ${!emailVerified && html`<a href="/register/verify">Verify the address</a>`}
      <a href="/dashboard">Dashboard</a>
      <a href="/dashboard/settings">Settings</a>
      <form method="post" action="/dashboard/logout"><button>Sign out</button></form>
    </nav>
  </details>`;
}

/** The frame around every page. `title` is plain text; there is no inline script and no inline style. */
export function page(
  title: string,
  body: Html,
  { current, script, viewer = null }: PageOptions = {},
): string {
  const document = html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <meta name="robots" content="noindex" />
        <title>${title} · ${site().name}</title>
        <link rel="stylesheet" href="/static/curtail.css" />
        <link rel="icon" href="/favicon.ico" sizes="48x48" />
        <link rel="icon" href="/static/favicon.svg" sizes="any" type="image/svg+xml" />
        ${script !== undefined && html`<script src="/static/${script}" defer></script>`}
      </head>
      <body>
        <a class="skip" href="#content">Skip to content</a>
        <header class="site">
          <a class="name" href="${site().homeUrl}">${site().name}</a>
          <nav aria-label="Main">
            ${NAVIGATION.map(
              ([path, label]) =>
                html`<a href="${path}" ${path === current && html`aria-current="page"`}
                  >${label}</a
                >`,
            )}
          </nav>
          ${viewer === null ? signIn(current) : accountMenu(viewer)}
        </header>
        <main id="content" tabindex="-1">${body}</main>
      </body>
    </html> `;
  return document.markup;
}

/**
 * Says that a route answers with a page of ours: the handler returns its markup as a string.
 *
 * @param description what the page shows, for the API description
 */
export function PageResponse(description: string): MethodDecorator {
  return applyDecorators(
    Header('Content-Type', 'text/html; charset=utf-8'),
    Header('Content-Security-Policy', PAGE_POLICY),
    Header('Cache-Control', 'no-store'),
    ApiOkResponse({ description, content: { 'text/html': { schema: { type: 'string' } } } }),
  );
}

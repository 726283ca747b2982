import { applyDecorators, Header } from '@nestjs/common';
import { ApiOkResponse } from '@nestjs/swagger';
import { requestedDomain } from '../requested-domain';
import { formPath, site } from '../site';

const ENTITIES: Record<string, string> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/** Escapes text for element content and quoted attributes. */
function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => ENTITIES[character] ?? '');
}

/** Escaped markup; only created by `html`. */
export class Html {
  constructor(readonly markup: string) {}

  toString(): string {
    return this.markup;
  }
}

type Part = Html | string | number | null | undefined | false | readonly Part[];

/**
 * Escapes strings, keeps nested `html`, joins lists; null, undefined and false render nothing.
 * @example html`<p>${userText}</p>`
 */
export function html(strings: TemplateStringsArray, ...parts: readonly Part[]): Html {
  return new Html(strings.reduce((text, piece, i) => text + render(parts[i - 1]) + piece));
}

function render(part: Part): string {
  if (part === null || part === undefined || part === false) return '';
  if (part instanceof Html) return part.markup;
  if (typeof part === 'object') return part.map(render).join('');
  return escapeHtml(String(part));
}

/** Direction marks and invisible characters, which make strings look alike. */
const DECEIVING = /[\u00ad\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]/g;

/** Percent-encodes characters in user text that could disguise it. */
export function visibleText(text: string): string {
  return text.toWellFormed().replace(DECEIVING, (mark) => encodeURIComponent(mark));
}

function contentPolicy(formAction: string): string {
  return `default-src 'self'; base-uri 'none'; form-action ${formAction}; frame-ancestors 'none'; object-src 'none'`;
}

/** Policy for all pages (docs/contract.md#1.1). */
export const PAGE_POLICY = contentPolicy("'self'");

/** For forms that redirect to another site, because `form-action` also restricts redirects. */
export const LEAVING_FORM_POLICY = contentPolicy('*');

export function wayHome(root = ''): Html {
  const { name, homeUrl } = site();
  if (homeUrl === '/')
    return html`<a class="button" href="${root}${formPath()}">Shorten a link</a>`;
  return html`<a class="button" href="${homeFrom(root)}">To ${name}</a>`;
}

function homeFrom(root: string): string {
  const { homeUrl } = site();
  return homeUrl.startsWith('/') ? root + homeUrl : homeUrl;
}

/** Returns the prefix for service paths on pages, which is empty except on custom domains. */
export function pageRoot(request: object): string {
  return requestedDomain(request) === null ? '' : site().baseUrl;
}

export interface Viewer {
  readonly email: string;
  readonly emailVerified: boolean;
}

const NAVIGATION = [
  ['/', 'Shorten'],
  ['/stats', 'Statistics'],
  ['/docs', 'API'],
] as const;

interface PageOptions {
  readonly current?: (typeof NAVIGATION)[number][0] | '/login' | '/register';
  /** Optional script; the page works without it. */
  readonly script?: 'copy.js' | 'alias-check.js';
  /** Null if the visitor is not signed in or unknown. */
  readonly viewer?: Viewer | null;
  /** Target of "Statistics" on a page about a link; by default the statistics form. */
  readonly statistics?: string | null;
  readonly root?: string;
  /**
   * Description for search engines and link previews; without it, the page is excluded from them.
   */
  readonly summary?: PageSummary;
}

export interface PageSummary {
  readonly description: string;
  /** Public base URL without a trailing slash. */
  readonly baseUrl: string;
  readonly path: string;
}

function signIn(current: PageOptions['current'], root: string): Html {
  const link = (path: '/login' | '/register', label: string) =>
    html`<a href="${root}${path}" ${path === current && html`aria-current="page"`}>${label}</a>`;
  return html`<nav class="account" aria-label="Account">
    ${link('/login', 'Sign in')} ${site().registration !== 'closed' && link('/register', 'Sign up')}
  </nav>`;
}

function accountMenu({ email, emailVerified }: Viewer): Html {
  return html`<details class="account menu">
    <summary><span dir="auto">${email}</span></summary>
    <nav aria-label="Account">
      ${!emailVerified && html`<a href="/register/verify">Verify email address</a>`}
      <a href="/dashboard">Dashboard</a>
      <a href="/dashboard/settings">Settings</a>
      <form method="post" action="/dashboard/logout"><button>Sign out</button></form>
    </nav>
  </details>`;
}

export function siteHeader({
  current,
  viewer = null,
  statistics = null,
  root = '',
}: Pick<PageOptions, 'current' | 'root' | 'viewer' | 'statistics'>): Html {
  return html`<header class="site">
    <a class="name" href="${homeFrom(root)}">${site().name}</a>
    <nav aria-label="Main">
      ${NAVIGATION.map(
        ([path, label]) =>
          html`<a
            href="${root}${path === '/' ? formPath() : path === '/stats' ? (statistics ?? path) : path}"
            ${path === current && html`aria-current="page"`}
            >${label}</a
          >`,
      )}
    </nav>
    ${viewer === null ? signIn(current, root) : accountMenu(viewer)}
  </header>`;
}

export function siteFooter(): Html {
  const { imprintUrl, termsUrl, privacyUrl, abuseContact } = site();
  const links = [
    ['Imprint', imprintUrl],
    ['Terms', termsUrl],
    ['Privacy', privacyUrl],
    ['Report abuse', abuseContact],
  ] as const;
  const known = links.filter(([, url]) => url !== null);
  return html`<footer class="site">
    <p>Add + to the end of a short link to see where it leads.</p>
    ${
      known.length > 0 &&
      html`<nav aria-label="About this site">
        ${known.map(([label, url]) => html`<a href="${url}">${label}</a>`)}
      </nav>`
    }
  </footer>`;
}

/** Maximum length of the parameter. It is longer than any short URL. */
const MAX_REPORTED = 2048;

/** @param address the short URL; if absent, the form asks for it */
export function reportLink(address: string | undefined, root: string): Html {
  const url = address?.slice(0, MAX_REPORTED).toWellFormed();
  const query = url === undefined ? '' : `?url=${encodeURIComponent(url)}`;
  return html`<a href="${root}/report${query}" rel="nofollow">Report this link</a>`;
}

function pageSummary({ description, baseUrl, path }: PageSummary): Html {
  const { name } = site();
  return html`<meta name="description" content="${description}" />
    <link rel="canonical" href="${baseUrl}${path}" />
    <meta property="og:type" content="website" />
    <meta property="og:site_name" content="${name}" />
    <meta property="og:title" content="${name}" />
    <meta property="og:description" content="${description}" />
    <meta property="og:url" content="${baseUrl}${path}" />
    <meta property="og:image" content="${baseUrl}/static/preview.png" />
    <meta property="og:image:type" content="image/png" />
    <meta property="og:image:width" content="1200" />
    <meta property="og:image:height" content="630" />
    <meta property="og:image:alt" content="A long address becomes a short one" />
    <meta name="twitter:card" content="summary_large_image" />`;
}

/** @param title plain text */
export function page(title: string, body: Html, options: PageOptions = {}): string {
  const { script, summary } = options;
  const document = html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        ${summary === undefined ? html`<meta name="robots" content="noindex" />` : pageSummary(summary)}
        <title>${title} · ${site().name}</title>
        <link rel="stylesheet" href="/static/curtail.css" />
        <link rel="icon" href="/favicon.ico" sizes="48x48" />
        <link rel="icon" href="/static/favicon.svg" sizes="any" type="image/svg+xml" />
        <link rel="apple-touch-icon" href="/static/touch-icon.png" />
        ${script !== undefined && html`<script src="/static/${script}" defer></script>`}
      </head>
      <body>
        <a class="skip" href="#content">Skip to content</a>
        ${siteHeader(options)}
        <main id="content" tabindex="-1">${body}</main>
        ${siteFooter()}
      </body>
    </html> `;
  return document.markup;
}

/** The handler returns the page's markup. @param description for the API description */
export function PageResponse(description: string): MethodDecorator {
  return applyDecorators(
    Header('Content-Type', 'text/html; charset=utf-8'),
    Header('Content-Security-Policy', PAGE_POLICY),
    Header('Cache-Control', 'no-store'),
    ApiOkResponse({ description, content: { 'text/html': { schema: { type: 'string' } } } }),
  );
}

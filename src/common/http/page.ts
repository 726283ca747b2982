import { applyDecorators, Header } from '@nestjs/common';
import { ApiOkResponse } from '@nestjs/swagger';
import { site } from '../site';
import { html, Html } from './html';

/** docs/contract.md#1.1: every page of ours, no inline script. */
export const PAGE_POLICY =
  "default-src 'self'; base-uri 'none'; form-action *; frame-ancestors 'none'; object-src 'none'";

/** The way out of a page that has nothing to offer: the shortening form, or the operator's home. */
export function wayHome(): Html {
  const { name, homeUrl } = site();
  const label = homeUrl === '/' ? 'Shorten a link' : `To ${name}`;
  return html`<a class="button" href="${homeUrl}">${label}</a>`;
}

/** The frame around every page. `title` is plain text; there is no script and no inline style. */
export function page(title: string, body: Html): string {
  const document = html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <meta name="robots" content="noindex" />
        <title>${title} · ${site().name}</title>
        <link rel="stylesheet" href="/static/curtail.css" />
        <link rel="icon" href="/static/favicon.svg" type="image/svg+xml" />
      </head>
      <body>
        <header class="site"><a href="${site().homeUrl}">${site().name}</a></header>
        <main>${body}</main>
        <footer class="site">
          <a href="/">Shorten a link</a> <a href="/stats">Statistics</a> <a href="/docs">API</a>
        </footer>
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

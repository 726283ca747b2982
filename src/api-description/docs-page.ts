import { html } from '../common/http/html';

/**
 * The reader of the document, Scalar, writes its styles into the page; scripts come from this host
 * alone, and nothing is asked of any other (docs/contract.md#1.1, docs/adr/0012-api-document.md).
 */
export const DOCS_POLICY = [
  "default-src 'self'",
  "script-src 'self'",
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data: blob:",
  "font-src 'self' data:",
  "connect-src 'self'",
  "worker-src 'self' blob:",
  "base-uri 'none'",
  "form-action 'self'",
  "frame-ancestors 'none'",
  "object-src 'none'",
].join('; ');

/** The page at /docs: a link for programs and browsers without scripts, and the reader's scripts. */
export function docsPage(readerPath: string): string {
  return html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <meta name="robots" content="noindex" />
        <title>API · Curtail</title>
        <style>
          /* Buttons that show up beside headings reach past the edge of a phone. */
          #api {
            overflow-x: clip;
          }
        </style>
        <link rel="icon" href="/static/favicon.svg" type="image/svg+xml" />
        <link rel="service-desc" href="/openapi.json" type="application/json" />
      </head>
      <body>
        <div id="api"></div>
        <noscript>
          <p>
            This page needs JavaScript. The document itself is at
            <a href="/openapi.json">/openapi.json</a>.
          </p>
        </noscript>
        <script src="${readerPath}"></script>
        <script src="/docs/start.js"></script>
      </body>
    </html> `.markup;
}

/** Sends no request but to this host: requests are tried out at the address that the page has. */
export const DOCS_SCRIPT = `'use strict';
Scalar.createApiReference('#api', {
  url: '/openapi.json',
  servers: [{ url: location.origin, description: 'This service' }],
  pageTitle: 'API · Curtail',
  withDefaultFonts: false,
  telemetry: false,
  showDeveloperTools: 'never',
  hideClientButton: true,
  agent: { disabled: true },
  mcp: { disabled: true },
  defaultOpenAllTags: false,
  operationTitleSource: 'summary',
  persistAuth: false,
  defaultHttpClient: { targetKey: 'shell', clientKey: 'curl' },
  authentication: { preferredSecurityScheme: 'api_key' },
});
`;

import { html, type Html, siteFooter, siteHeader, type Viewer } from '../common/http/page';
import { site } from '../common/site';

/** Allows inline styles, which Scalar needs, and only this host (docs/contract.md#1.1). */
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

export function docsPage(readerPath: string, viewer: Viewer | null): string {
  return html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <meta name="robots" content="noindex" />
        <title>API · ${site().name}</title>
        <link rel="stylesheet" href="/static/frame.css" />
        <style>
          body {
            margin: 0;
            background: var(--ground);
            color: var(--text);
            font:
              1rem/1.55 system-ui,
              sans-serif;
          }
          body > .site.site {
            box-sizing: border-box;
            max-width: none;
          }
          .site button {
            font: inherit;
            border: 0;
            cursor: pointer;
          }
          .notice {
            margin: 0;
            padding: 0.5rem 1rem;
            background: var(--bar-ground);
          }
          /* Buttons next to headings would overflow a phone's screen. */
          #api {
            min-height: 80vh;
            overflow-x: clip;
          }
          .loading {
            padding: 3rem 1rem;
            text-align: center;
            color: var(--muted);
          }
        </style>
        <link rel="icon" href="/static/favicon.svg" type="image/svg+xml" />
        <link rel="service-desc" href="/openapi.json" type="application/json" />
      </head>
      <body>
        ${siteHeader({ current: '/docs', viewer })} ${viewer !== null && signedIn(viewer)}
        <div id="api">
          <p class="loading" role="status">Loading the API description …</p>
        </div>
        <noscript>
          <p>
            This page needs JavaScript. The document itself is at
            <a href="/openapi.json">/openapi.json</a>.
          </p>
        </noscript>
        ${siteFooter()}
        <script src="${readerPath}"></script>
        <script src="/docs/start.js"></script>
      </body>
    </html> `.markup;
}

function signedIn({ email }: Viewer): Html {
  return html`<p class="notice">
    You are signed in as <b>${email}</b>: requests that you test without a key use this account.
  </p>`;
}

/** Colours for small text with a contrast of at least 4.5 to 1 (WCAG 1.4.3). */
const DOCS_STYLE = `
.light-mode {
  --scalar-color-2: #545454;
  --scalar-color-3: #616161;
  --scalar-color-green: #006b43;
  --scalar-color-blue: #005f9e;
  --scalar-color-yellow: #735400;
  --scalar-color-red: #b80000;
  --scalar-color-orange: #a83800;
  --scalar-sidebar-color-2: #545454;
  --scalar-sidebar-search-color: #545454;
}
.dark-mode {
  --scalar-color-3: #a3a3a3;
  --scalar-color-red: #ff8078;
  --scalar-sidebar-search-color: #a3a3a3;
}
.property--deprecated > * { opacity: 1 !important; }
`;

export const DOCS_SCRIPT = `'use strict';
// The reader draws icon-only buttons, some only once they scroll into view.
function nameButtons() {
  const api = document.getElementById('api');
  const names = {
    'button[role="search"]': 'Search',
    'button[class*="copy-button"], button.code-copy': 'Copy',
    'button[class*="client-libraries__select"]': 'More client libraries',
  };
  const name = () => {
    for (const [selector, label] of Object.entries(names)) {
      for (const button of api.querySelectorAll(':is(' + selector + '):not([aria-label])')) {
        button.setAttribute('aria-label', label);
      }
    }
  };
  new MutationObserver(name).observe(api, { childList: true, subtree: true });
  name();
}
Scalar.createApiReference('#api', {
  url: '/openapi.json',
  servers: [{ url: location.origin, description: 'This service' }],
  pageTitle: document.title,
  hideDarkModeToggle: true,
  customCss: ${JSON.stringify(DOCS_STYLE)},
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
  onLoaded: nameButtons,
  authentication: { preferredSecurityScheme: 'api_key' },
  // The service rejects an empty bearer token. Without the header, it uses session cookies.
  onBeforeRequest({ request }) {
    if (/^Bearer\\s*$/.test(request.headers.get('Authorization') ?? '')) {
      request.headers.delete('Authorization');
    }
  },
});
`;

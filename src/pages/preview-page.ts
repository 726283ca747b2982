import { html, type Html } from '../http/html';
import { page } from '../http/page';
import { visibleText } from '../http/visible-text';
import { shortUrl } from '../links/link.presenter';
import type { Link } from '../links/lookup/link';

/** Where a short link leads (contract 8.3); a password link keeps that to itself. */
export function previewPage(link: Link, baseUrl: string): string {
  const code = encodeURIComponent(link.alias);
  return page(
    'Preview',
    html`<section class="card">
      <h1>Preview</h1>
      <p class="address" dir="ltr">${shortUrl(baseUrl, link.alias)}</p>
      ${link.passwordHash === null ? destination(link.longUrl) : locked()}
      <p class="actions">
        <a class="button" href="/${code}" rel="nofollow">Go there</a>
        ${!link.privateStats && html`<a class="button quiet" href="/stats/${code}">Statistics</a>`}
      </p>
    </section>`,
  );
}

function destination(longUrl: string): Html {
  return html`<dl>
    <dt>Leads to</dt>
    <dd class="host" dir="ltr">${new URL(longUrl).host}</dd>
    <dt>Full address</dt>
    <dd class="destination" dir="ltr">${visibleText(longUrl)}</dd>
  </dl>`;
}

function locked(): Html {
  return html`<p>This link is protected by a password, so its destination is not shown.</p>`;
}

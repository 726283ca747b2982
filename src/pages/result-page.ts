import { html } from '../http/html';
import { page } from '../http/page';
import { shortUrl } from '../links/link.presenter';
import type { Link } from '../links/lookup/link';

/** The page after shortening: the short address, and where to go from there. */
export function resultPage(link: Link, baseUrl: string): string {
  const address = shortUrl(baseUrl, link.alias);
  const code = encodeURIComponent(link.alias);
  return page(
    'Your short link',
    html`<section class="card">
      <h1>Your short link</h1>
      <p class="address"><a href="/${code}">${address}</a></p>
      <label for="short-url">To copy</label>
      <input id="short-url" type="text" readonly dir="ltr" value="${address}" />
      ${link.passwordHash !== null && html`<p>Visitors are asked for its password.</p>`}
      ${link.maxClicks !== null && html`<p>It closes after ${link.maxClicks} clicks.</p>`}
      <p class="actions">
        <a class="button" href="/stats/${code}">Statistics</a>
        <a class="button quiet" href="/${code}+">Preview</a>
        <a class="button quiet" href="/">Shorten another</a>
      </p>
    </section>`,
  );
}

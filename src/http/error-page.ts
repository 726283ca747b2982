import { CurtailError } from '../core/errors';
import { html } from './html';
import { page } from './page';

const HEADLINES: Record<number, string> = {
  400: 'That did not work',
  401: 'Password needed',
  403: 'Not allowed',
  404: 'Nothing here',
  405: 'Not possible here',
  410: 'This link is closed',
  413: 'Too much at once',
  422: 'Something is missing',
  429: 'Too many requests',
  500: 'Something broke',
  503: 'Not available right now',
};

/** The HTML form of an error answer (contract 2.2). */
export function errorPage(error: CurtailError): string {
  const headline = HEADLINES[error.status] ?? 'Something went wrong';
  return page(
    headline,
    html`<section class="card error">
      <p class="status">${error.status}</p>
      <h1>${headline}</h1>
      <p>${error.message}</p>
      ${error.hint === undefined ? null : html`<p class="hint">${error.hint}</p>`}
      <p><a class="button" href="/">Shorten a link</a></p>
    </section>`,
  );
}

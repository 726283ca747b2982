import type { CurtailError } from '../core/errors';
import { html } from '../http/html';
import { page } from '../http/page';

/** The form that asks for a link's password and posts it to `/{code}/password`. */
export function passwordPage(alias: string, error: CurtailError): string {
  const wrong = error.code === 'invalid_password';
  return page(
    'Password needed',
    html`<section class="card">
<h1>Password needed</h1>
<p${wrong ? html` class="problem" role="alert"` : null}>${error.message}.</p>
<form method="post" action="/${encodeURIComponent(alias)}/password">
<label for="password">Password</label>
<input id="password" name="password" type="password" autocomplete="off" required autofocus>
<button type="submit">Open the link</button>
</form>
</section>`,
  );
}

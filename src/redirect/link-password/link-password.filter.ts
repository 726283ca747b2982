import { Catch } from '@nestjs/common';
import type { Request } from 'express';
import { pageForm, wantsJson, type ErrorForm } from '../../common/http/error-response';
import { AppExceptionFilter } from '../../common/http/exception.filter';
import { html } from '../../common/http/html';
import { page } from '../../common/http/page';
import { LinkPasswordError } from './link-password.errors';

/** Asks people for the password of a link, where programs get JSON (docs/contract.md#8.1). */
@Catch(LinkPasswordError)
export class LinkPasswordFilter extends AppExceptionFilter {
  protected override form(request: Request, error: LinkPasswordError): ErrorForm {
    return wantsJson(request) ? super.form(request, error) : pageForm(passwordPage(error));
  }
}

/** The form that asks for a link's password and posts it to `/{code}/password`. */
function passwordPage({ alias, code, message }: LinkPasswordError): string {
  const wrong = code === 'invalid_password';
  return page(
    'Password needed',
    html`<section class="card">
<h1>Password needed</h1>
<p${wrong ? html` class="problem" role="alert"` : null}>${message}.</p>
<form method="post" action="/${encodeURIComponent(alias)}/password">
<label for="password">Password</label>
<input id="password" name="password" type="password" autocomplete="off" required autofocus>
<button type="submit">Open the link</button>
</form>
</section>`,
  );
}

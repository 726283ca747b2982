import { Catch } from '@nestjs/common';
import type { Request } from 'express';
import { pageForm, wantsJson, type ErrorForm } from '../../common/http/error-response';
import { AppExceptionFilter } from '../../common/http/exception.filter';
import { html, LEAVING_FORM_POLICY, page, pageRoot } from '../../common/http/page';
import { AppLog } from '../../common/log';
import { HttpOptions } from '../../config/options';
import { placeOfKey } from '../../stores/links/alias-form';
import { toFirstVisit, type FirstVisit, REFERRER_FIELD } from './first-visit';
import { LinkPasswordError } from './link-password.errors';

/** Renders the password form for browsers and JSON for programs (docs/contract.md#8.1). */
@Catch(LinkPasswordError)
export class LinkPasswordFilter extends AppExceptionFilter {
  constructor(
    log: AppLog,
    private readonly http: HttpOptions,
  ) {
    super(log);
  }

  protected override form(request: Request, error: LinkPasswordError): ErrorForm {
    if (wantsJson(request)) return super.form(request, error);
    const visit = toFirstVisit(request, this.http.baseUrl, error.link.forwardQuery);
    return pageForm(passwordPage(error, visit, pageRoot(request)), LEAVING_FORM_POLICY);
  }
}

function passwordPage(
  { link, code, message }: LinkPasswordError,
  { query, referer = '' }: FirstVisit,
  root: string,
): string {
  const { alias } = placeOfKey(link.alias);
  const wrong = code === 'invalid_password';
  return page(
    'Password required',
    html`<section class="card">
<h1>Password required</h1>
<p${wrong ? html` class="problem" role="alert"` : null}>${message}.</p>
<form method="post" action="/${encodeURIComponent(alias)}/password${query && `?${query}`}">
<input type="hidden" name="${REFERRER_FIELD}" value="${referer}">
<label for="password">Password</label>
<input id="password" name="password" type="password" autocomplete="off" required autofocus>
<button type="submit">Open the link</button>
</form>
</section>`,
    { root },
  );
}

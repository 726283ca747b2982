import { html } from '../../common/http/html';
import { page } from '../../common/http/page';
import { site } from '../../common/site';
import { MAX_EMAIL_LENGTH } from '../account/account-email';
import { field, generalProblem, pageTitle } from './form-field';
import type { FormProblem } from './form-problem';
import { nameField, PASSWORD_FIELD } from './sign-in-pages';

interface TypedSetup {
  readonly token: string | undefined;
  readonly email?: string;
  readonly userName?: string;
  readonly problem?: FormProblem | null;
}

export function setupPage({ token, email, userName, problem = null }: TypedSetup): string {
  const heading = `Set up ${site().name}`;
  const emailField = {
    name: 'email',
    label: 'Email',
    type: 'email',
    autocomplete: 'username',
    maxLength: MAX_EMAIL_LENGTH,
    value: email,
  } as const;
  return page(
    pageTitle(heading, problem),
    html`<section class="card narrow">
      <h1>${heading}</h1>
      <p class="lead">Create the account that administers this service.</p>
      ${generalProblem(problem)}
      <form method="post" action="/setup">
        <input type="hidden" name="token" value="${token}" />
        ${field(emailField, problem, (email ?? '') === '')}
        ${field({ ...PASSWORD_FIELD, label: 'Password' }, problem, (email ?? '') !== '')}
        ${nameField(userName, problem)}
        <p class="actions"><button type="submit">Create administrator</button></p>
      </form>
    </section>`,
  );
}

/** Needs a click, because programs that check links in messages open the page. */
export function signInPage(email: string, token: string): string {
  return page(
    'Sign in',
    html`<section class="card narrow">
      <h1>Sign in</h1>
      <p>This link signs you in as <strong dir="auto">${email}</strong>. It works once.</p>
      <form method="post" action="/setup">
        <input type="hidden" name="token" value="${token}" />
        <p class="actions"><button type="submit">Sign in</button></p>
      </form>
    </section>`,
  );
}

/** The text is identical for every reason, so that it reveals nothing about tokens or accounts. */
export function invalidLinkPage(): string {
  return page(
    'Link not valid',
    html`<section class="card narrow">
      <h1>This link is not valid</h1>
      <p>It may have been used, replaced or expired.</p>
      <p>
        If you operate this service and it has no administrator yet, run
        <code>curtail admin setup-link</code> to get a new link.
      </p>
      <p class="actions"><a class="button" href="/login">Sign in</a></p>
    </section>`,
  );
}

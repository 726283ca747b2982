import type { Registration } from '../../config/options';
import { html, type Html, page } from '../../common/http/page';
import { site } from '../../common/site';
import { MAX_EMAIL_LENGTH } from '../account/account';
import { ACCOUNT_PASSWORD_LENGTH } from '../account/account-password';
import { field, type FieldWords, type FormProblem, generalProblem, pageTitle } from './form-field';

/** An account's id, then the random part. */
const SIGN_IN_TOKEN = /^([0-9a-f]{24})[\w-]{43}$/;

/** The account of a sign-in link's token; null for other texts. */
export function signInAccountId(token: unknown): string | null {
  return typeof token === 'string' ? (SIGN_IN_TOKEN.exec(token)?.[1] ?? null) : null;
}

export interface SignInOffers {
  readonly providers: readonly { readonly name: string; readonly title: string }[];
  readonly registration: Registration;
  readonly passwordSignIn: boolean;
  /** Whether browsers reject this service's cookies, so that users cannot sign in. */
  readonly losesCookies: boolean;
}

export interface TypedSignIn {
  readonly email?: string;
  readonly userName?: string;
  readonly next?: string;
  readonly problem?: FormProblem | null;
  readonly notice?: string | null;
}

export const LOGIN_WORDS: FieldWords = {
  email: 'Enter your email address, such as ada@example.com.',
  password: 'Enter your password.',
};

export const REGISTER_WORDS: FieldWords = {
  email: LOGIN_WORDS.email ?? '',
  password: 'Use 8 to 128 characters.',
  user_name: 'This name is too long or contains characters that cannot be shown.',
};

export const PASSWORD_FIELD = {
  name: 'password',
  type: 'password',
  autocomplete: 'new-password',
  minLength: ACCOUNT_PASSWORD_LENGTH.min,
  maxLength: ACCOUNT_PASSWORD_LENGTH.max,
  hint: 'At least 8 characters, with an upper-case and a lower-case letter, a digit and a special character.',
} as const;

export function loginPage(offers: SignInOffers, typed: TypedSignIn = {}): string {
  const { next, problem = null, notice = null } = typed;
  return page(
    pageTitle('Sign in', problem),
    html`<section class="card narrow">
      <h1>Sign in</h1>
      ${notice !== null && html`<p class="notice" role="status">${notice}</p>`}
      ${generalProblem(problem)} ${cookieProblem(offers)} ${providerButtons(offers, next)}
      ${offers.passwordSignIn && loginForm(typed)}
      ${
        offers.registration !== 'closed' &&
        html`<p class="instead">No account yet? <a href="/register">Sign up</a></p>`
      }
    </section>`,
    { current: '/login' },
  );
}

function loginForm({ email, next, problem = null }: TypedSignIn): Html {
  return html`<form method="post" action="/login">
    ${hiddenNext(next)} ${emailField(email, problem, true)}
    ${field(
      {
        name: 'password',
        label: 'Password',
        type: 'password',
        autocomplete: 'current-password',
        maxLength: 255,
      },
      problem,
      (email ?? '') !== '',
    )}
    <p class="actions">
      <button type="submit">Sign in</button>
      <a class="beside" href="/login/forgot-password">Forgot your password?</a>
    </p>
  </form>`;
}

export function registerPage(offers: SignInOffers, typed: TypedSignIn = {}): string {
  const { problem = null } = typed;
  return page(
    pageTitle('Sign up', problem),
    html`<section class="card narrow">
      <h1>Sign up</h1>
      ${offers.registration === 'closed' ? closedNotice() : registerForm(offers, typed)}
      <p class="instead">Have an account? <a href="/login">Sign in</a></p>
    </section>`,
    { current: '/register' },
  );
}

function closedNotice(): Html {
  return html`<p>Sign-up is closed. Ask the operator of this service for an account.</p>`;
}

function registerForm(
  offers: SignInOffers,
  { email, userName, problem = null }: TypedSignIn,
): Html {
  const { registration, passwordSignIn } = offers;
  if (!passwordSignIn) return html`${cookieProblem(offers)} ${providerButtons(offers, undefined)}`;
  return html`<p class="lead">Create your own links, change them and see their statistics.</p>
    ${generalProblem(problem)} ${cookieProblem(offers)} ${providerButtons(offers, undefined)}
    <form method="post" action="/register">
      ${emailField(
        email,
        problem,
        true,
        Array.isArray(registration)
          ? `An address that ends in ${atDomains(registration)}.`
          : undefined,
      )}
      ${field({ ...PASSWORD_FIELD, label: 'Password' }, problem, (email ?? '') !== '')}
      ${nameField(userName, problem)}
      <p class="actions"><button type="submit">Sign up</button></p>
    </form>`;
}

/** Explains why the form appears again without signing the user in. */
function cookieProblem({ losesCookies }: SignInOffers): Html | null {
  if (!losesCookies) return null;
  return html`<p class="problem" role="alert">
    You cannot sign in at this address because browsers keep the sign-in cookie only over https.
    Open the service with https if it has that. Its operator can set BASE_URL to an https address,
    or COOKIE_SECURE=false on a trusted network.
  </p>`;
}

function atDomains(domains: readonly string[]): string {
  return domains.map((domain) => `@${domain}`).join(' or ');
}

export function emailField(
  value: string | undefined,
  problem: FormProblem | null,
  hasFocus: boolean,
  hint?: string,
): Html {
  const isFocused = hasFocus && (value ?? '') === '';
  return field(
    {
      name: 'email',
      label: 'Email address',
      type: 'email',
      autocomplete: 'username',
      maxLength: MAX_EMAIL_LENGTH,
      value,
      hint,
    },
    problem,
    isFocused,
  );
}

function nameField(value: string | undefined, problem: FormProblem | null): Html {
  return field(
    {
      name: 'user_name',
      label: 'Your name',
      type: 'text',
      autocomplete: 'name',
      maxLength: 255,
      optional: true,
      value,
    },
    problem,
  );
}

function providerButtons(
  { providers, passwordSignIn }: SignInOffers,
  next: string | undefined,
): Html | null {
  if (providers.length === 0) return null;
  const query = next === undefined ? '' : `?next=${encodeURIComponent(next)}`;
  return html`<p class="providers">
      ${providers.map(
        ({ name, title }) =>
          html`<a class="button quiet" href="/oauth/${name}${query}" rel="nofollow"
            >Continue with <bdi>${title}</bdi></a
          >`,
      )}
    </p>
    ${passwordSignIn && html`<p class="divider"><span>or with a password</span></p>`}`;
}

function hiddenNext(next: string | undefined): Html | null {
  if (next === undefined) return null;
  return html`<input type="hidden" name="next" value="${next}" />`;
}

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

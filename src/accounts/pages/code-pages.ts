import { html, type Html, page, type Viewer } from '../../common/http/page';
import { CODE_MINUTES } from '../codes/code.schema';
import { field, type FieldWords, type FormProblem, generalProblem, pageTitle } from './form-field';
import { emailField, LOGIN_WORDS, PASSWORD_FIELD, REGISTER_WORDS } from './sign-in-pages';

const CODE_WORDS = 'Enter the six digits of the code.';

export const VERIFY_WORDS: FieldWords = { code: CODE_WORDS };
export const FORGOT_WORDS: FieldWords = { email: LOGIN_WORDS.email ?? '' };
export const RESET_WORDS: FieldWords = {
  ...FORGOT_WORDS,
  code: CODE_WORDS,
  password: REGISTER_WORDS.password ?? '',
};

const CODE_FIELD = {
  name: 'code',
  label: 'Code',
  type: 'text',
  autocomplete: 'one-time-code',
  maxLength: 20,
  numeric: true,
} as const;

export function verifyPage(
  viewer: Viewer,
  problem: FormProblem | null = null,
  notices: readonly (string | null)[] = [],
): string {
  return page(
    pageTitle('Verify your email address', problem),
    html`<section class="card narrow">
      <h1>Verify your email address</h1>
      <p>
        Enter the six-digit code that we email to <strong dir="auto">${viewer.email}</strong>. It is
        valid for ${CODE_MINUTES} minutes.
      </p>
      ${notices.map(noticeLine)} ${generalProblem(problem)}
      <form method="post" action="/register/verify">
        ${field(CODE_FIELD, problem, true)}
        <p class="actions"><button type="submit">Verify</button></p>
      </form>
      <form class="instead" method="post" action="/register/verify/resend">
        <p>No email? Check your spam folder, or</p>
        <button type="submit" class="quiet">Send a new code</button>
      </form>
    </section>`,
    { viewer },
  );
}

/** Changes nothing until the user presses the button, because mail programs may open links. */
export function undoEmailPage(token: string): string {
  return page(
    'Undo the change of your email address',
    html`<section class="card narrow">
      <h1>Undo the change of your email address</h1>
      <p>
        Your account gets its previous address back. All sessions end, the password stops working,
        and API keys and sign-in methods added since the change are removed. We email you a code for
        a new password.
      </p>
      <form method="post" action="/login/undo-email">
        <input type="hidden" name="token" value="${token}" />
        <p class="actions"><button type="submit">Undo the change</button></p>
      </form>
    </section>`,
  );
}

function noticeLine(notice: string | null): Html | null {
  return notice === null ? null : html`<p class="notice" role="status">${notice}</p>`;
}

export function forgotPasswordPage(email?: string, problem: FormProblem | null = null): string {
  return page(
    pageTitle('Forgot your password?', problem),
    html`<section class="card narrow">
      <h1>Forgot your password?</h1>
      <p>We email you a six-digit code for setting a new one.</p>
      ${generalProblem(problem)}
      <form method="post" action="/login/forgot-password">
        ${emailField(email, problem, true)}
        <p class="actions"><button type="submit">Send the code</button></p>
      </form>
      <p class="instead"><a href="/login">Back to sign-in</a></p>
    </section>`,
  );
}

export function resetPasswordPage({
  email,
  code,
  problem = null,
  notices = [],
}: {
  readonly email?: string;
  readonly code?: string;
  readonly problem?: FormProblem | null;
  readonly notices?: readonly (string | null)[];
}): string {
  return page(
    pageTitle('Set a new password', problem),
    html`<section class="card narrow">
      <h1>Set a new password</h1>
      <p>
        If the address has an account with a password, we email a code to it within a minute. The
        code is valid for ${CODE_MINUTES} minutes. Setting a new password ends all sessions.
      </p>
      ${notices.map(noticeLine)} ${generalProblem(problem)}
      <form method="post" action="/login/reset-password">
        ${emailField(email, problem, true)}
        ${field({ ...CODE_FIELD, value: code }, problem, (email ?? '') !== '')}
        ${field({ ...PASSWORD_FIELD, label: 'New password' }, problem)}
        <p class="actions"><button type="submit">Set the password</button></p>
      </form>
      <p class="instead">No code? <a href="/login/forgot-password">Request another one</a></p>
    </section>`,
  );
}

import { Injectable } from '@nestjs/common';
import type { Principal } from '../../auth/principal';
import type { HttpResult } from '../../common/http/http-result';
import { LEAVING_FORM_POLICY, PAGE_POLICY, type Viewer } from '../../common/http/page';
import { DASHBOARD, safeReturnPath } from '../../common/return-path';
import { SiteOptions } from '../../config/options';
import type { Client } from '../../infrastructure/client-address/client-address';
import { ResetPasswordDto, ResetRequestDto } from '../account/accounts.dto';
import { AccountsService } from '../sign-in/accounts.service';
import { PasswordResetService } from '../verification/password-reset.service';
import { VerificationService } from '../verification/verification.service';
import { SessionAnswer, type SignInOrigin } from '../sessions/session';
import { SessionsService } from '../sessions/sessions.service';
import { LoginFormDto, RegisterFormDto, VerifyFormDto } from './account-forms.dto';
import { forgotPasswordPage, resetPasswordPage, verifyPage } from './code-pages';
import { MailNotesService } from './mail-notes.service';
import { SignInPageService } from './sign-in-page.service';
import { OnwardWithEmail } from './typed-email';

/** Redirect after a successful form. */
export interface Onward {
  readonly url: string;
  readonly statusCode: 303;
}

export const VERIFY = '/register/verify';
const LOGIN = '/login';
const RESET = '/login/reset-password';

const NOTICES: Readonly<Record<string, string>> = {
  'password-changed': 'Your password was changed. Sign in with the new one.',
  'code-sent': 'A new code is on its way.',
  'mail-failed': 'The email with the code could not be sent. Request a new code later.',
  'session-ended': 'Your session has ended. Sign in to continue.',
  'codes-stopped': 'Too many wrong codes: no code is sent for 24 hours.',
};

const SIGN_IN_FIRST = 'Sign in to open the page.';

export interface PageVisit {
  readonly principal: Principal | null;
  readonly viewer: Viewer | null;
  readonly isLocal: boolean;
  readonly next?: unknown;
  readonly done?: unknown;
}

/** HTML forms for the account API (docs/contract.md#18.2). */
@Injectable()
export class AccountPagesService {
  constructor(
    private readonly pages: SignInPageService,
    private readonly accounts: AccountsService,
    private readonly sessions: SessionsService,
    private readonly verification: VerificationService,
    private readonly passwordReset: PasswordResetService,
    private readonly mailNotes: MailNotesService,
    private readonly site: SiteOptions,
  ) {}

  showLogin(visit: PageVisit): HttpResult {
    const next = safeReturnPath(visit.next);
    const notice = findNotice(visit.done) ?? (visit.next === undefined ? null : SIGN_IN_FIRST);
    const result = this.forStrangers(visit, () =>
      this.pages.login({ next: nextField(next), notice }),
    );
    return result.kind === 'page' ? { ...result, policy: loginPolicy(next) } : result;
  }

  showRegister(visit: PageVisit): HttpResult {
    return this.forStrangers(visit, () => this.pages.register());
  }

  showForgotPassword(visit: PageVisit): HttpResult {
    if (!this.site.passwordSignIn) return toResult(onward(LOGIN));
    return this.forStrangers(visit, () => forgotPasswordPage());
  }

  async showResetPassword(visit: PageVisit, email: string | undefined): Promise<HttpResult> {
    if (!this.site.passwordSignIn) return toResult(onward(LOGIN));
    const notice = await this.mailNotes.noteFor(visit.isLocal);
    return this.forStrangers(visit, () => resetPasswordPage({ email, notice }));
  }

  async showVerify({ viewer, done, isLocal }: PageVisit): Promise<HttpResult> {
    if (viewer === null) return toResult(toLogin());
    if (viewer.emailVerified) return toResult(onward(DASHBOARD));
    const notices = [findNotice(done), await this.mailNotes.noteFor(isLocal)];
    return { kind: 'page', markup: verifyPage(viewer, null, notices) };
  }

  async login(body: LoginFormDto, origin: SignInOrigin): Promise<SessionAnswer<Onward>> {
    const { session } = await this.accounts.login(body, origin);
    return new SessionAnswer(onward(safeReturnPath(body.next)), session);
  }

  async register(body: RegisterFormDto, origin: SignInOrigin): Promise<SessionAnswer<Onward>> {
    const { session, body: registered } = await this.accounts.register(body, origin);
    const way = registered.verification_sent ? VERIFY : `${VERIFY}?done=mail-failed`;
    return new SessionAnswer(onward(way), session);
  }

  async verify(
    principal: Principal | null,
    { code }: VerifyFormDto,
    origin: SignInOrigin,
  ): Promise<Onward | SessionAnswer<Onward>> {
    if (principal === null) return toLogin();
    const { session } = await this.verification.verify(principal, code, origin);
    return new SessionAnswer(onward(DASHBOARD), session);
  }

  async resend(principal: Principal | null): Promise<Onward> {
    if (principal === null) return toLogin();
    const { expires_in: seconds } = await this.verification.send(principal);
    return onward(`${VERIFY}?done=${seconds > 0 ? 'code-sent' : 'codes-stopped'}`);
  }

  async forgotPassword({ email }: ResetRequestDto, client: Client): Promise<OnwardWithEmail> {
    await this.passwordReset.request(email, client);
    return new OnwardWithEmail(RESET, email);
  }

  async resetPassword(body: ResetPasswordDto, client: Client): Promise<Onward> {
    await this.passwordReset.reset(body, client);
    return onward('/login?done=password-changed');
  }

  async logOut(refreshToken: string | null): Promise<SessionAnswer<Onward>> {
    const { session } = await this.sessions.logOut(refreshToken);
    return new SessionAnswer(onward('/'), session);
  }

  private forStrangers({ principal, next }: PageVisit, markup: () => string): HttpResult {
    return principal === null
      ? { kind: 'page', markup: markup() }
      : toResult(onward(safeReturnPath(next)));
  }
}

/** If the sign-in continues at a provider, the form redirects to another site. */
export function loginPolicy(next: string): string {
  return next.startsWith('/oauth/') ? LEAVING_FORM_POLICY : PAGE_POLICY;
}

export function nextField(next: string): string | undefined {
  return next === DASHBOARD ? undefined : next;
}

function findNotice(done: unknown): string | null {
  return typeof done === 'string' && Object.hasOwn(NOTICES, done) ? (NOTICES[done] ?? null) : null;
}

export function onward(url: string): Onward {
  return { url, statusCode: 303 };
}

function toLogin(): Onward {
  return onward(`/login?next=${encodeURIComponent(VERIFY)}`);
}

function toResult({ url, statusCode }: Onward): HttpResult {
  return { kind: 'redirect', location: url, status: statusCode };
}

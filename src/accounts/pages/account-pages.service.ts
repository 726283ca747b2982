import type { IncomingMessage } from 'node:http';
import { join } from 'node:path';
import {
  type CallHandler,
  createParamDecorator,
  type ExecutionContext,
  Injectable,
  type NestInterceptor,
} from '@nestjs/common';
import type { Request, Response } from 'express';
import { map, type Observable } from 'rxjs';
import type { Principal } from '../../auth/access';
import type { HttpResult } from '../../common/http/http-result';
import { LEAVING_FORM_POLICY, PAGE_POLICY, type Viewer } from '../../common/http/page';
import { DASHBOARD, safeReturnPath } from '../../common/return-path';
import { DataOptions, HttpOptions, SiteOptions } from '../../config/options';
import type { Client } from '../../infrastructure/client-address/client-address';
import { readCookie } from '../../auth/cookies';
import { isLoopback } from '../../config/risks';
import { MailHealthIndicator } from '../../infrastructure/mail/mail-health.indicator';
import { ResetPasswordDto, ResetRequestDto } from '../account/accounts.dto';
import { AccountsService } from '../sign-in/accounts.service';
import { PasswordResetService, VerificationService } from '../verification/verification.service';
import { SessionAnswer, type SignInOrigin } from '../sessions/session';
import { SessionsService } from '../sessions/sessions.service';
import { readEmail } from '../account/account';
import { CODE_SECONDS } from '../codes/code.schema';
import { LoginFormDto, RegisterFormDto, VerifyFormDto } from './account-forms.dto';
import { forgotPasswordPage, resetPasswordPage, verifyPage } from './code-pages';
import { SignInPageService } from './sign-in-page.service';

const EMAIL_COOKIE = 'reset_email';

export class OnwardWithEmail {
  readonly statusCode = 303;

  constructor(
    readonly url: string,
    readonly email: string,
  ) {}
}

export const TypedEmail = createParamDecorator((_: unknown, context: ExecutionContext) => {
  const value = readCookie(context.switchToHttp().getRequest<Request>(), EMAIL_COOKIE) ?? '';
  return readEmail(Buffer.from(value, 'base64url').toString()) ?? undefined;
});

@Injectable()
export class MailNotesService {
  private readonly outbox: string;

  constructor(
    private readonly health: MailHealthIndicator,
    { dir }: DataOptions,
  ) {
    this.outbox = join(dir, 'outbox');
  }

  /** Returns null if emails are delivered. @param isLocal whether the user may see local paths */
  async noteFor(isLocal: boolean): Promise<string | null> {
    switch (await this.health.state()) {
      case 'ok':
        return null;
      case 'error':
        return 'Emails cannot be sent at the moment: the mail server does not accept them. Try again later.';
      case 'not_configured':
        return isLocal
          ? `No mail server is configured (SMTP_URL): the email is the newest file in ${this.outbox}.`
          : 'No mail server is configured here: ask the operator of this service for the code.';
    }
  }
}

/** Stores the email address in a cookie, because URLs appear in browser histories and logs. */
@Injectable()
export class KeepsTypedEmail implements NestInterceptor {
  constructor(private readonly http: HttpOptions) {}

  intercept(context: ExecutionContext, next: CallHandler): Observable<unknown> {
    const response = context.switchToHttp().getResponse<Response>();
    return next.handle().pipe(
      map((answer: unknown) => {
        if (answer instanceof OnwardWithEmail) this.keep(answer.email, response);
        return answer;
      }),
    );
  }

  private keep(email: string, response: Response): void {
    response.cookie(EMAIL_COOKIE, Buffer.from(email).toString('base64url'), {
      maxAge: CODE_SECONDS * 1000,
      httpOnly: true,
      secure: this.http.cookieSecure,
      sameSite: 'lax',
      path: '/login',
    });
  }
}

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
  'email-restored': 'Your account has its previous email address again.',
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
    const notices = [findNotice(visit.done), await this.mailNotes.noteFor(visit.isLocal)];
    return this.forStrangers(visit, () => resetPasswordPage({ email, notices }));
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

const FORWARDING = ['x-forwarded-for', 'x-real-ip', 'forwarded', 'via'];

/** Returns false behind a proxy on this machine, which forwards other clients' requests. */
export function isLocal({ headers, socket }: IncomingMessage): boolean {
  if (FORWARDING.some((name) => name in headers)) return false;
  const host = (headers.host ?? '').replace(/:\d*$/, '').replace(/^\[|\]$/g, '');
  return isLoopback(host) && isLoopback((socket.remoteAddress ?? '').replace(/^::ffff:/, ''));
}

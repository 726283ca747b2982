import { Catch, Injectable } from '@nestjs/common';
import type { Request } from 'express';
import { viewerFromRequest } from '../../auth/access';
import type { CurtailError } from '../../common/errors';
import { type ErrorForm, pageForm, wantsJson } from '../../common/http/error-response';
import { AppExceptionFilter } from '../../common/http/exception.filter';
import { AppLog } from '../../common/log';
import { safeReturnPath } from '../../common/return-path';
import {
  ForeignFormError,
  PasswordSignInOffError,
  SetupLinkError,
} from '../account/accounts.errors';
import { loginPolicy, nextField } from './account-pages.service';
import {
  FORGOT_WORDS,
  forgotPasswordPage,
  RESET_WORDS,
  resetPasswordPage,
  VERIFY_WORDS,
  verifyPage,
} from './code-pages';
import { toFormProblem } from './form-field';
import { invalidLinkPage, REGISTER_WORDS, setupPage, signInAccountId } from './sign-in-pages';
import { SignInPageService } from './sign-in-page.service';

/** Shows a rejected form again, with all input except passwords (docs/contract.md#18.2). */
@Injectable()
@Catch()
export class AccountPageFilter extends AppExceptionFilter {
  constructor(
    log: AppLog,
    private readonly pages: SignInPageService,
  ) {
    super(log);
  }

  protected override form(request: Request, error: CurtailError): ErrorForm {
    if (error instanceof SetupLinkError && !wantsJson(request)) return pageForm(invalidLinkPage());
    const isForm = request.method === 'POST' && !wantsJson(request);
    const markup =
      isForm && !(error instanceof ForeignFormError) ? this.again(request, error) : null;
    if (markup === null) return super.form(request, error);
    return pageForm(markup, loginPolicy(safeReturnPath(sentFields(request).next)));
  }

  private again(request: Request, error: CurtailError): string | null {
    const email = typed(request, 'email');
    if (error instanceof PasswordSignInOffError) return this.pages.refusedLogin(error);
    switch (request.path.toLowerCase().replace(/\/$/, '')) {
      case '/login': {
        const { next } = sentFields(request);
        return this.pages.refusedLogin(error, { email, next: nextField(safeReturnPath(next)) });
      }
      case '/register':
        return this.pages.refusedRegistration(
          error,
          { email, userName: typed(request, 'user_name') },
          sentFields(request),
        );
      case '/register/verify':
      case '/register/verify/resend': {
        const viewer = viewerFromRequest(request);
        return viewer === null ? null : verifyPage(viewer, toFormProblem(error, VERIFY_WORDS));
      }
      case '/setup':
        if (signInAccountId(sentFields(request).token) !== null) return null;
        return setupPage({
          token: typed(request, 'token'),
          email,
          userName: typed(request, 'user_name'),
          problem: toFormProblem(error, REGISTER_WORDS, sentFields(request)),
        });
      case '/login/forgot-password':
        return forgotPasswordPage(email, toFormProblem(error, FORGOT_WORDS));
      case '/login/reset-password':
        return resetPasswordPage({
          email,
          code: typed(request, 'code'),
          problem: toFormProblem(error, RESET_WORDS, sentFields(request)),
        });
      default:
        return null;
    }
  }
}

const MAX_SHOWN_LENGTH = 300;

function typed(request: Request, name: string): string | undefined {
  const value = sentFields(request)[name];
  return typeof value === 'string' && value !== '' ? value.slice(0, MAX_SHOWN_LENGTH) : undefined;
}

function sentFields({ body }: { body?: unknown }): Record<string, unknown> {
  return typeof body === 'object' && body !== null ? { ...body } : {};
}

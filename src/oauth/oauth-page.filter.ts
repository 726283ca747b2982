import { Catch, Injectable } from '@nestjs/common';
import type { Request } from 'express';
import { IdentityTakenError } from '../accounts/account/accounts.errors';
import { SignInPageService } from '../accounts/pages/sign-in-page.service';
import { type CurtailError, NotFoundError } from '../common/errors';
import { type ErrorForm, pageForm, wantsJson } from '../common/http/error-response';
import { AppExceptionFilter } from '../common/http/exception.filter';
import { AppLog } from '../common/log';
import { EmailDiffersError, LinkEndedError, ProviderLinkedError } from './providers/oauth.errors';

/** Errors while linking a provider, when the visitor is already signed in. */
const OF_LINKS = [EmailDiffersError, IdentityTakenError, LinkEndedError, ProviderLinkedError];

/** Shows failed sign-ins on the sign-in page (docs/contract.md#18.2). */
@Injectable()
@Catch()
export class OauthPageFilter extends AppExceptionFilter {
  constructor(
    log: AppLog,
    private readonly pages: SignInPageService,
  ) {
    super(log);
  }

  protected override form(request: Request, error: CurtailError): ErrorForm {
    const isElsewhere =
      error instanceof NotFoundError ||
      /\/link\/?$/i.test(request.path) ||
      OF_LINKS.some((kind) => error instanceof kind);
    if (isElsewhere || wantsJson(request)) return super.form(request, error);
    return pageForm(this.pages.refusedLogin(error));
  }
}

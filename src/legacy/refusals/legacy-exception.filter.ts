import { Catch, Injectable } from '@nestjs/common';
import type { Request } from 'express';
import { EmailNotVerifiedError, RateLimitError } from '../../auth/access.errors';
import { callerFromRequest, viewerFromRequest } from '../../auth/access';
import { AuthenticationError, type CurtailError } from '../../common/errors';
import {
  errorPage,
  jsonForm,
  pageForm,
  type ErrorForm,
  wantsJson,
} from '../../common/http/error-response';
import { AppExceptionFilter } from '../../common/http/exception.filter';
import { AppLog } from '../../common/log';
import { HttpOptions } from '../../config/options';
import { type ShortenProblem, homePage, type TypedForm } from '../home/home-page';
import { typedQuery } from '../stats-page/page-query';
import {
  statisticsFormPage,
  statisticsPasswordPage,
  statisticsQueryPage,
} from '../stats-page/statistics-form-page';
import { textInput } from '../../common/http/text-input';
import { wantsLegacyJson } from '../request/legacy-request';
import { LegacyError, PageQueryError, ShortCodeMissingError } from '../request/legacy.errors';
import { StatisticsUnknownError } from './legacy-stats.errors';

const UNKNOWN_STATISTICS =
  'The link does not exist, or its statistics are private. If it is your link, sign in to see them.';

type Refusal =
  | AuthenticationError
  | EmailNotVerifiedError
  | LegacyError
  | ShortCodeMissingError
  | RateLimitError
  | PageQueryError;

@Injectable()
@Catch(
  AuthenticationError,
  EmailNotVerifiedError,
  LegacyError,
  ShortCodeMissingError,
  RateLimitError,
  PageQueryError,
)
export class LegacyExceptionFilter extends AppExceptionFilter {
  constructor(
    log: AppLog,
    private readonly http: HttpOptions,
  ) {
    super(log);
  }

  protected override form(request: Request, error: Refusal): ErrorForm {
    if (error instanceof RateLimitError) return this.tooMany(request, error);
    if (error instanceof EmailNotVerifiedError) {
      return this.refused(request, error, { path: '/register/verify', label: 'Enter the code' });
    }
    if (error instanceof AuthenticationError && SHORTENING.test(request.path)) {
      return this.refused(request, error, { path: '/login', label: 'Sign in' });
    }
    if (error instanceof PageQueryError) return pageForm(queryPage(request, error));
    if (error instanceof ShortCodeMissingError) {
      return request.headers.accept?.includes('application/json')
        ? super.form(request, error)
        : pageForm(statisticsFormPage(viewerFromRequest(request), error.message));
    }
    if (!(error instanceof LegacyError)) return super.form(request, error);
    return error.alwaysJson || wantsLegacyJson(request)
      ? jsonForm({ [error.legacyKey]: error.message, ...error.data })
      : pageForm(this.errorPage(request, error));
  }

  private errorPage(request: Request, error: LegacyError): string {
    switch (error.form?.kind) {
      case 'shorten':
        return this.shorteningForm(request, [error, ...error.others].flatMap(fieldProblem));
      case 'link-password':
        return statisticsPasswordPage(
          pathWithoutPassword(request),
          error.message,
          error.form.wrong,
          viewerFromRequest(request),
        );
      case undefined:
        return errorPage(
          error,
          error instanceof StatisticsUnknownError ? { advice: UNKNOWN_STATISTICS } : {},
        );
    }
  }

  /** Shows the form with its input if the visitor exceeds the rate limit. */
  private tooMany(request: Request, error: RateLimitError): ErrorForm {
    if (wantsJson(request) || !SHORTENING.test(request.path)) return super.form(request, error);
    const whose =
      callerFromRequest(request).principal === null ? 'from your network' : 'by your account';
    const message = `Too many links were created ${whose}. Try again in ${error.wait}.`;
    return pageForm(this.shorteningForm(request, [{ field: null, message }]));
  }

  /** Signed-in visitors need an active session and a verified email to own links. */
  private refused(
    request: Request,
    { message }: CurtailError,
    way: ShortenProblem['way'],
  ): ErrorForm {
    const problem = { field: null, message: `${message}.`, way };
    return pageForm(this.shorteningForm(request, [problem]));
  }

  private shorteningForm(request: Request, problems: readonly ShortenProblem[]): string {
    return homePage(this.http.baseUrl, viewerFromRequest(request), typedForm(request), problems);
  }
}

function fieldProblem({ form, message }: LegacyError): ShortenProblem[] {
  return form?.kind === 'shorten' ? [{ field: form.field, message }] : [];
}

const SHORTENING = /^\/(?:emoji\/?)?$/;

function typedForm(request: Request): TypedForm {
  const input = textInput(request);
  return {
    url: input('url') ?? undefined,
    alias: input('alias') ?? undefined,
    maxClicks: input('max-clicks') ?? undefined,
    expiresIn: input('expires-in') ?? undefined,
    blockBots: input('block-bots') !== null,
    privateStats: input('private-stats') !== null,
    hadPassword: input('password') !== null,
  };
}

function queryPage(request: Request, { field = '', message }: PageQueryError): string {
  const [, , code = ''] = request.path.split('/');
  const typed = typedQuery(textInput(request));
  return statisticsQueryPage(
    `/stats/${code}`,
    typed,
    { field, message },
    viewerFromRequest(request),
  );
}

/** Returns path and query without the password. */
function pathWithoutPassword({ originalUrl }: Request): string {
  const [path = '/', query = ''] = originalUrl.split('?', 2);
  const parameters = new URLSearchParams(query);
  parameters.delete('password');
  return parameters.size === 0 ? path : `${path}?${parameters.toString()}`;
}

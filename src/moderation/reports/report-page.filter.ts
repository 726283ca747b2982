import { Catch, Injectable } from '@nestjs/common';
import type { Request } from 'express';
import { ForeignFormError } from '../../accounts/account/accounts.errors';
import { toFormProblem } from '../../accounts/pages/form-field';
import { viewerFromRequest } from '../../auth/access';
import type { CurtailError } from '../../common/errors';
import { type ErrorForm, pageForm, wantsJson } from '../../common/http/error-response';
import { AppExceptionFilter } from '../../common/http/exception.filter';
import { REPORT_WORDS, reportPage, type TypedReport } from './report-page';

@Injectable()
@Catch()
export class ReportPageFilter extends AppExceptionFilter {
  protected override form(request: Request, error: CurtailError): ErrorForm {
    const isFault = error.status >= 500 && error.status !== 503;
    const isSent = request.method === 'POST' && !isFault && !(error instanceof ForeignFormError);
    if (!isSent || wantsJson(request)) return super.form(request, error);
    const problem = toFormProblem(error, REPORT_WORDS);
    return pageForm(reportPage(viewerFromRequest(request), typedIn(request), problem));
  }
}

function typedIn({ body }: { body?: unknown }): TypedReport {
  const fields = typeof body === 'object' && body !== null ? { ...body } : {};
  const texts = Object.entries(fields).filter(
    ([name, value]) => Object.hasOwn(REPORT_WORDS, name) && typeof value === 'string',
  );
  return Object.fromEntries(texts);
}

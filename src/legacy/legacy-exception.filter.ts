import { Catch } from '@nestjs/common';
import type { Request } from 'express';
import { errorPage, jsonForm, pageForm, type ErrorForm } from '../common/http/error-response';
import { AppExceptionFilter } from '../common/http/exception.filter';
import { homePage } from '../pages/home-page';
import {
  statisticsFormPage,
  statisticsPasswordPage,
} from '../pages/statistics/statistics-form-page';
import { legacyInput, wantsLegacyJson } from './legacy-request';
import { LegacyError } from './legacy.errors';
import { ShortCodeMissingError } from './stats/legacy-stats.errors';

/** The exception filter of the v0 routes: it knows their error bodies and pages (docs/contract.md#13). */
@Catch(LegacyError, ShortCodeMissingError)
export class LegacyExceptionFilter extends AppExceptionFilter {
  protected override form(request: Request, error: LegacyError | ShortCodeMissingError): ErrorForm {
    if (error instanceof ShortCodeMissingError) {
      return request.headers.accept?.includes('application/json')
        ? super.form(request, error)
        : pageForm(statisticsFormPage(error.message));
    }
    return error.alwaysJson || wantsLegacyJson(request)
      ? jsonForm({ [error.legacyKey]: error.message, ...error.data })
      : pageForm(legacyErrorPage(request, error));
  }
}

/** The page for people; a refused form is shown again, with what was typed. */
function legacyErrorPage(request: Request, error: LegacyError): string {
  switch (error.form?.kind) {
    case 'shorten':
      return homePage(typedForm(request), { field: error.form.field, message: error.message });
    case 'link-password': {
      const [path = '/'] = request.originalUrl.split('?');
      return statisticsPasswordPage(path, error.message, error.form.wrong);
    }
    case undefined:
      return errorPage(error);
  }
}

/** Passwords are never shown again. */
function typedForm(request: Request) {
  const input = legacyInput(request);
  return {
    url: input('url') ?? undefined,
    alias: input('alias') ?? undefined,
    maxClicks: input('max-clicks') ?? undefined,
    blockBots: input('block-bots') !== null,
  };
}

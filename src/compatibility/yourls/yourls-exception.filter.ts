import { Catch } from '@nestjs/common';
import type { Request } from 'express';
import { callerFromRequest } from '../../auth/access';
import { AuthenticationError, type CurtailError } from '../../common/errors';
import type { ErrorForm } from '../../common/http/error-response';
import { AppExceptionFilter } from '../../common/http/exception.filter';
import { textInput } from '../../common/http/text-input';
import { yourlsForm } from './yourls-response';
import { YourlsError } from './yourls.errors';

const STATUSES: Readonly<Record<number, number>> = { 401: 403, 422: 400 };

@Catch()
export class YourlsExceptionFilter extends AppExceptionFilter {
  protected override form(request: Request, error: CurtailError): ErrorForm {
    const format = textInput(request)('format');
    if (error instanceof YourlsError) return yourlsForm(format, error.body);
    const status = STATUSES[error.status] ?? error.status;
    const message =
      error instanceof AuthenticationError ? refusalText(request, error) : error.message;
    const fields = { message, errorCode: String(status) };
    return { ...yourlsForm(format, { fields, simple: message }), status };
  }
}

/** Clients match the first words. */
function refusalText(request: Request, { hint }: AuthenticationError): string {
  if (callerFromRequest(request).refusal === null) return 'Please log in';
  return ['Invalid username or password', hint].filter(Boolean).join(' ');
}

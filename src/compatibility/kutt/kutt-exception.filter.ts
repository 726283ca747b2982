import { Catch } from '@nestjs/common';
import type { Request } from 'express';
import { type CurtailError, UnprocessableError } from '../../common/errors';
import { errorBody, type ErrorForm, jsonForm } from '../../common/http/error-response';
import { AppExceptionFilter } from '../../common/http/exception.filter';
import { renamedProblems } from '../compatible-request';
import { KUTT_NAMES } from './kutt-link';

/** Clients of Kutt show the message only if the status is 400 (docs/contract.md#35.3). */
const BECOME_400: readonly number[] = [409, 422];

@Catch()
export class KuttExceptionFilter extends AppExceptionFilter {
  protected override form(request: Request, error: CurtailError): ErrorForm {
    const alias = request.method === 'PATCH' ? 'address' : 'customurl';
    const problems = renamedProblems(error, { ...KUTT_NAMES, alias });
    const [first] = problems;
    const body = { ...errorBody(error) };
    if (first !== undefined && problems.length === 1) {
      body.field = first.field;
      const isSchema = error instanceof UnprocessableError;
      body.error = isSchema ? `${first.field}: ${first.error}` : first.error;
    } else if (problems.length > 1) {
      body.error = `Validation failed for: ${problems.map(({ field }) => field).join(', ')}`;
      body.details = problems;
    }
    const status = BECOME_400.includes(error.status) ? 400 : error.status;
    return { ...jsonForm(body), status };
  }
}

import { STATUS_CODES } from 'node:http';
import { Catch } from '@nestjs/common';
import type { Request } from 'express';
import { callerFromRequest } from '../../auth/caller';
import { CurtailError } from '../../common/errors';
import type { ErrorForm } from '../../common/http/error-response';
import { AppExceptionFilter } from '../../common/http/exception.filter';
import { BrokenJsonError } from '../../common/http/json-bodies';
import { AliasTakenError, UnknownLinkError } from '../../stores/links/link.errors';
import { renamedProblems } from '../compatible-request';
import { isKeyInQuery } from './shlink-query';
import { MercureNotConfiguredError } from './shlink.errors';
import { SHLINK_NAMES } from './shlink-url';

const TYPES = 'https://shlink.io/api/error/';

interface Problem {
  readonly status: number;
  /** Null: `about:blank` */
  readonly word: string | null;
  readonly title: string;
  readonly more?: object;
}

@Catch()
export class ShlinkExceptionFilter extends AppExceptionFilter {
  protected override form(request: Request, error: CurtailError): ErrorForm {
    const { status, word, title, more } = toProblem(request, error);
    const type = word === null ? 'about:blank' : TYPES + word;
    return {
      contentType: 'application/problem+json; charset=utf-8',
      body: JSON.stringify({ type, title, detail: error.message, status, ...more }),
      status,
    };
  }
}

/** See the table in docs/contract.md#35.4. */
function toProblem(request: Request, error: CurtailError): Problem {
  const { status } = error;
  if (status === 401) return toCredentialProblem(request);
  if (error instanceof MercureNotConfiguredError) {
    return { status, word: 'mercure-not-configured', title: 'Mercure integration not configured' };
  }
  if (error instanceof UnknownLinkError) {
    const more = { shortCode: request.params.shortCode, domain: request.query.domain };
    return { status, word: 'short-url-not-found', title: 'Short URL not found', more };
  }
  if (error instanceof AliasTakenError) {
    const { customSlug, domain } = (request.body ?? {}) as Record<string, unknown>;
    const more = { customSlug, domain: domain ?? undefined };
    return { status: 400, word: 'non-unique-slug', title: 'Invalid custom slug', more };
  }
  if (error instanceof BrokenJsonError) {
    return { status: 400, word: 'malformed-request-body', title: 'Malformed request body' };
  }
  if (![400, 409, 422].includes(status)) {
    return { status, word: null, title: STATUS_CODES[status] ?? 'Error' };
  }
  const problems = renamedProblems(error, SHLINK_NAMES);
  const detail = problems.map((problem) => `${problem.field}: ${problem.error}`).join('; ');
  const fields = problems.map(({ field }) => field.split('.')[0]);
  const more = { invalidElements: [...new Set(fields)], ...(detail !== '' && { detail }) };
  return { status: 400, word: 'invalid-data', title: 'Invalid data', more };
}

function toCredentialProblem(request: Request): Problem {
  if (callerFromRequest(request).refusal !== null) {
    return { status: 401, word: 'invalid-api-key', title: 'Invalid API key' };
  }
  const more = isKeyInQuery(request) ? { param: 'apiKey' } : { expectedHeaders: ['X-Api-Key'] };
  return { status: 401, word: 'missing-authentication', title: 'Invalid authorization', more };
}

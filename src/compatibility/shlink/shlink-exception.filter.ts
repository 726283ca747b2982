import { STATUS_CODES } from 'node:http';
import { Catch } from '@nestjs/common';
import type { Request } from 'express';
import { callerFromRequest } from '../../auth/access';
import type { CurtailError } from '../../common/errors';
import type { ErrorForm } from '../../common/http/error-response';
import { AppExceptionFilter } from '../../common/http/exception.filter';
import { BrokenJsonError } from '../../common/http/json-bodies';
import { AliasTakenError, UnknownLinkError } from '../../stores/links/link.errors';
import { renamedProblems } from '../compatible-request';
import { MercureNotConfiguredError } from './shlink.errors';
import { SHLINK_NAMES } from './shlink-url';

const TYPES = 'https://shlink.io/api/error/';

interface Problem {
  /** Null: `about:blank` */
  readonly type: string | null;
  readonly title: string;
  readonly [key: string]: unknown;
}

@Catch()
export class ShlinkExceptionFilter extends AppExceptionFilter {
  protected override form(request: Request, error: CurtailError): ErrorForm {
    const status = [409, 422].includes(error.status) ? 400 : error.status;
    const { type, title, ...more } = toProblem(request, error);
    const url = type === null ? 'about:blank' : TYPES + type;
    return {
      contentType: 'application/problem+json; charset=utf-8',
      body: JSON.stringify({ type: url, title, detail: error.message, status, ...more }),
      status,
    };
  }
}

/** See the list in docs/contract.md#35.4. */
function toProblem(request: Request, error: CurtailError): Problem {
  const { status } = error;
  if (status === 401) return toCredentialProblem(request);
  if (error instanceof MercureNotConfiguredError) {
    return { type: 'mercure-not-configured', title: 'Mercure integration not configured' };
  }
  if (error instanceof UnknownLinkError) {
    const known = { type: 'short-url-not-found', title: 'Short URL not found' };
    return { ...known, shortCode: request.params.shortCode, domain: request.query.domain };
  }
  if (error instanceof AliasTakenError) {
    const { customSlug, domain } = (request.body ?? {}) as Record<string, unknown>;
    const taken = { type: 'non-unique-slug', title: 'Invalid custom slug', customSlug };
    return { ...taken, domain: domain ?? undefined };
  }
  if (error instanceof BrokenJsonError) {
    return { type: 'malformed-request-body', title: 'Malformed request body' };
  }
  if (![400, 409, 422].includes(status)) {
    return { type: null, title: STATUS_CODES[status] ?? 'Error' };
  }
  const problems = renamedProblems(error, SHLINK_NAMES);
  const detail = problems
    .map(({ field, error }) => (error.startsWith(`${field} `) ? error : `${field}: ${error}`))
    .join('; ');
  const fields = new Set(problems.map(({ field }) => field.split('.')[0]));
  const invalid = { type: 'invalid-data', title: 'Invalid data', invalidElements: [...fields] };
  return { ...invalid, ...(detail !== '' && { detail }) };
}

function toCredentialProblem(request: Request): Problem {
  if (callerFromRequest(request).refusal !== null) {
    return { type: 'invalid-api-key', title: 'Invalid API key' };
  }
  const isInQuery = /\/short-urls\/shorten\/?$/i.test(request.path);
  const place = isInQuery ? { param: 'apiKey' } : { expectedHeaders: ['X-Api-Key'] };
  return { type: 'missing-authentication', title: 'Invalid authorization', ...place };
}

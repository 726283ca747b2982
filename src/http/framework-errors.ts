import { HttpException } from '@nestjs/common';
import {
  CurtailError,
  ForbiddenError,
  NotFoundError,
  BadRequestError,
  UnprocessableError,
} from '../core/errors';
import { OTHER_CHARSET, TOO_DEEP, TOO_MANY_VALUES } from './json-bounds';

const BODY_PROBLEMS = new Map([
  ['entity.parse.failed', 'the body is not valid JSON'],
  [TOO_DEEP, 'the body nests too deeply'],
  [TOO_MANY_VALUES, 'the body has too many values'],
  [OTHER_CHARSET, 'the body must be UTF-8'],
]);

/** What Nest, Express and its body parsers throw, as our errors; null for anything else. */
export function fromFramework(error: unknown): CurtailError | null {
  if (!(error instanceof Error)) return null;
  const status = statusOf(error);
  if (status === null || status >= 500) return null;
  const type = 'type' in error ? error.type : undefined;
  if (status === 413 || type === 'entity.too.large') {
    return new CurtailError(413, 'payload_too_large', 'The body may have at most 1048576 bytes');
  }
  if (typeof type === 'string') return bodyProblem(type);
  if (status === 404) return new NotFoundError();
  if (status === 403) return new ForbiddenError();
  // Express answers 400 for a path that is not percent-encoded UTF-8.
  if (error instanceof URIError)
    return new BadRequestError('The path is not valid percent-encoding');
  return new BadRequestError('The request could not be read');
}

function statusOf(error: Error): number | null {
  if (error instanceof HttpException) return error.getStatus();
  const status = 'status' in error ? error.status : undefined;
  return typeof status === 'number' ? status : null;
}

/** Body-parser's errors carry a type such as `entity.parse.failed`. */
function bodyProblem(type: string): CurtailError {
  return UnprocessableError.of('input', BODY_PROBLEMS.get(type) ?? 'the body could not be read');
}

import {
  applyDecorators,
  createParamDecorator,
  ExecutionContext,
  SetMetadata,
} from '@nestjs/common';
import type { Request } from 'express';
import { answersBy } from '../common/http/http-result';
import { attemptOf, IdempotencyInterceptor } from './idempotency.interceptor';
import { RETRYABLE, type RetryableOptions } from './retryable';

/**
 * Says that a POST may be sent again under one Idempotency-Key (docs/contract.md#20.3): the handler
 * runs once to its end, and its answer is given again. The handler returns the body of its answer,
 * or a `StatusAnswer`; the module of its controller imports IdempotencyModule.
 *
 * @example Retryable({ items: (body: BulkCreateDto) => body.links.length })
 */
export function Retryable(options: RetryableOptions = {}): MethodDecorator {
  return applyDecorators(SetMetadata(RETRYABLE, options), answersBy(IdempotencyInterceptor));
}

/** Hands the try of the request to the handler of a route that is `@Retryable()`. */
export const CurrentAttempt = createParamDecorator((_: unknown, context: ExecutionContext) =>
  attemptOf(context.switchToHttp().getRequest<Request>()),
);

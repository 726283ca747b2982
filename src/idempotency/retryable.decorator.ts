import {
  applyDecorators,
  createParamDecorator,
  ExecutionContext,
  SetMetadata,
} from '@nestjs/common';
import { ApiHeader } from '@nestjs/swagger';
import type { Request } from 'express';
import { ApiErrors } from '../common/http/route.decorators';
import { answersBy } from '../common/http/http-result';
import { findAttempt, IdempotencyInterceptor } from './idempotency.interceptor';
import { RETRYABLE, type RetryableOptions } from './retryable';

/**
 * Allows clients to repeat a POST with the same Idempotency-Key (contract 20.3). The handler
 * runs once and returns a body or a `StatusAnswer`. The module must import IdempotencyModule.
 *
 * @example Retryable({ items: (body: BulkCreateDto) => body.links.length })
 */
export function Retryable(options: RetryableOptions = {}): MethodDecorator {
  return applyDecorators(
    SetMetadata(RETRYABLE, options),
    answersBy(IdempotencyInterceptor),
    ApiHeader({
      name: 'Idempotency-Key',
      description:
        'Makes the request safe to retry. For 24 hours, the same key and body return the stored response without repeating the action. The same key with a different body returns 422. If the first request is still running after ten seconds, the response is 409.',
      required: false,
      schema: { type: 'string', minLength: 1, maxLength: 255, pattern: '^[!-~]+$' },
      example: '0f4b2c4e-6d1b-4f0a-9c53-3a1f7d8e2b60',
    }),
    ApiErrors(409),
  );
}

export const CurrentAttempt = createParamDecorator((_: unknown, context: ExecutionContext) =>
  findAttempt(context.switchToHttp().getRequest<Request>()),
);

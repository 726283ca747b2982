import { CallHandler, ExecutionContext, Injectable, NestInterceptor } from '@nestjs/common';
import type { Response } from 'express';
import { catchError, type Observable } from 'rxjs';
import { RateLimiter } from './rate-limiter';
import { RateLimitError } from '../access.errors';

/** Refunds the route's windows if a handler's own limit throws a 429 (docs/contract.md#4.1). */
@Injectable()
export class RateLimitInterceptor implements NestInterceptor {
  constructor(private readonly limiter: RateLimiter) {}

  intercept(context: ExecutionContext, next: CallHandler): Observable<unknown> {
    const response = context.switchToHttp().getResponse<Response>();
    return next.handle().pipe(
      catchError(async (error: unknown): Promise<never> => {
        if (error instanceof RateLimitError) await this.limiter.giveBackAll(response);
        throw error;
      }),
    );
  }
}

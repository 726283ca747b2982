import { CallHandler, ExecutionContext, Injectable, NestInterceptor } from '@nestjs/common';
import type { Response } from 'express';
import { catchError, type Observable } from 'rxjs';
import { RateLimiter, RateLimitError } from './rate-limiter';

/**
 * A request that is answered 429 is counted in no window (docs/contract.md#4.1): where a handler's own
 * limit refuses it (a link's password, an account's sign-in), the route's windows are given back.
 */
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

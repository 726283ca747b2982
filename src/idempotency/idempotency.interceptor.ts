import { CallHandler, ExecutionContext, Injectable, NestInterceptor } from '@nestjs/common';
import type { Request, Response } from 'express';
import { map, type Observable } from 'rxjs';
import { Attempt } from './attempt';
import { StatusAnswer } from './retryable';

const attempts = new WeakMap<Request, Attempt>();

export function attemptOf(request: Request): Attempt {
  const attempt = attempts.get(request);
  if (attempt === undefined) throw new Error('A handler without @Retryable() asks for its attempt');
  return attempt;
}

/** Writes the answers of a route that is `@Retryable()`. */
@Injectable()
export class IdempotencyInterceptor implements NestInterceptor<object, void> {
  intercept(context: ExecutionContext, next: CallHandler<object>): Observable<void> {
    const http = context.switchToHttp();
    const [request, response] = [http.getRequest<Request>(), http.getResponse<Response>()];
    attempts.set(request, new Attempt());
    return next.handle().pipe(
      map((result) => {
        const isOther = result instanceof StatusAnswer;
        response.status(isOther ? result.status : response.statusCode);
        response.json(isOther ? result.body : result);
      }),
    );
  }
}

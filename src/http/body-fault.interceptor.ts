import { CallHandler, ExecutionContext, Injectable, NestInterceptor } from '@nestjs/common';
import type { Request } from 'express';
import type { Observable } from 'rxjs';
import { bodyFault } from './body-parsers';
import { toCurtailError } from './error-answer';

/** Throws what a body parser put off, after the guards and before the pipes. */
@Injectable()
export class BodyFaultInterceptor implements NestInterceptor {
  intercept(context: ExecutionContext, next: CallHandler): Observable<unknown> {
    const fault = bodyFault(context.switchToHttp().getRequest<Request>());
    if (fault !== undefined) throw toCurtailError(fault);
    return next.handle();
  }
}

import { CallHandler, ExecutionContext, Injectable, NestInterceptor } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import type { Request } from 'express';
import type { Observable } from 'rxjs';
import { bodyFault } from './body-parsers';
import { IGNORES_BODY } from './ignores-body.decorator';

/** Throws what a body parser put off, after the guards and before the pipes. */
@Injectable()
export class BodyFaultInterceptor implements NestInterceptor {
  constructor(private readonly reflector: Reflector) {}

  intercept(context: ExecutionContext, next: CallHandler): Observable<unknown> {
    const ignored = this.reflector.get<true | undefined>(IGNORES_BODY, context.getHandler());
    const fault = ignored ? undefined : bodyFault(context.switchToHttp().getRequest<Request>());
    if (fault !== undefined) throw fault as Error;
    return next.handle();
  }
}

import {
  CallHandler,
  ExecutionContext,
  Injectable,
  NestInterceptor,
  SetMetadata,
} from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import type { Request } from 'express';
import type { Observable } from 'rxjs';
import { bodyFault } from './body-parsers';

export const IGNORES_BODY = 'curtail:ignores-body';

/** For routes that succeed whatever was sent: a body that cannot be read does not matter. */
export const IgnoresBody = () => SetMetadata(IGNORES_BODY, true);

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

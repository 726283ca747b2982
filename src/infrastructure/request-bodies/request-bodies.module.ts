import {
  CallHandler,
  CanActivate,
  ExecutionContext,
  Injectable,
  Module,
  NestInterceptor,
} from '@nestjs/common';
import { RouteParamtypes } from '@nestjs/common/enums/route-paramtypes.enum';
import { APP_GUARD, APP_INTERCEPTOR, Reflector } from '@nestjs/core';
import type { Request, Response } from 'express';
import { from, type Observable, switchMap } from 'rxjs';
import { refuseBrokenQuery } from '../../common/http/json-bodies';
import {
  findBodyRules,
  hasParameter,
  isReadFirst,
  isSmallForm,
  ruleFor,
} from '../../common/http/taken-body';
import { AddressModule } from '../client-address/client-address.module';
import { RequestBodies } from './request-bodies';

/**
 * Reads small forms before the guards run, so that a refused form is shown with its input, and forms
 * that may contain the credential.
 */
@Injectable()
class SmallFormGuard implements CanActivate {
  constructor(
    private readonly bodies: RequestBodies,
    private readonly reflector: Reflector,
  ) {}

  async canActivate(context: ExecutionContext): Promise<boolean> {
    const http = context.switchToHttp();
    const request = http.getRequest<Request>();
    const rules = findBodyRules(this.reflector, context);
    if (isReadFirst(this.reflector, context)) {
      await this.bodies.parseBody(request, http.getResponse(), rules);
    }
    if (!isSmallForm(request)) return true;
    const rule = ruleFor(request, rules);
    if (rule !== undefined) await this.bodies.readAhead(request, http.getResponse(), rule);
    return true;
  }
}

/** Reads bodies before the pipes run, but after the guards, so that refused requests are cheap. */
@Injectable()
class BodyInterceptor implements NestInterceptor {
  constructor(
    private readonly bodies: RequestBodies,
    private readonly reflector: Reflector,
  ) {}

  intercept(context: ExecutionContext, next: CallHandler): Observable<unknown> {
    const http = context.switchToHttp();
    const [request, response] = [http.getRequest<Request>(), http.getResponse<Response>()];
    if (hasParameter(context, RouteParamtypes.QUERY)) refuseBrokenQuery(request.originalUrl);
    const rules = findBodyRules(this.reflector, context);
    if (rules.length === 0) return next.handle();
    return from(this.bodies.parseBody(request, response, rules)).pipe(
      switchMap(() => next.handle()),
    );
  }
}

/** Import this module before modules that refuse requests, because its guard must run first. */
@Module({
  imports: [AddressModule],
  providers: [
    RequestBodies,
    { provide: APP_GUARD, useClass: SmallFormGuard },
    { provide: APP_INTERCEPTOR, useClass: BodyInterceptor },
  ],
})
export class RequestBodiesModule {}

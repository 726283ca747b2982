import { ExecutionContext, Injectable } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import { AuthGuard } from '@nestjs/passport';
import type { Request } from 'express';
import { isDatabaseUnreachable } from '../common/database-fault';
import { AuthenticationError, NotFoundError } from '../common/errors';
import { HttpOptions } from '../config/options';
import {
  Caller,
  findAccessRule,
  needsLiveSession,
  type Principal,
  rememberAccessRule,
} from './access';
import { OriginRefusedError } from './access.errors';
import { mayActWithCookie } from './cookies';
import {
  API_KEY_STRATEGY,
  CredentialRefusal,
  credentialFromRequest,
  JWT_STRATEGY,
  PAGE_SESSION_STRATEGY,
} from './credential';

const BAD = {
  key: 'The API key is not valid',
  token: 'The access token is not valid or has expired',
  cookie: 'The session is not valid or has expired; sign in again',
};

/** Identifies a page's signed-in viewer. Never refuses a request. */
class PageSessionGuard extends AuthGuard(PAGE_SESSION_STRATEGY) {
  // eslint-disable-next-line @typescript-eslint/no-unnecessary-type-parameters -- inherited
  override handleRequest<TUser = Caller>(
    error: unknown,
    principal: Principal | false | null | undefined,
    info: unknown,
  ): TUser {
    // eslint-disable-next-line @typescript-eslint/only-throw-error -- rethrown, of any type
    if (error) throw error;
    // Pages are shown even with an invalid credential. Forms that write call demandAccess().
    const refusal = info instanceof CredentialRefusal ? new AuthenticationError(info.reason) : null;
    return new Caller(principal || null, refusal) as TUser;
  }
}

/** Never refuses a request, so that the rate limit counts it. The access guard refuses later. */
@Injectable()
export class CredentialGuard extends AuthGuard([JWT_STRATEGY, API_KEY_STRATEGY]) {
  private readonly pages = new PageSessionGuard();

  constructor(
    private readonly reflector: Reflector,
    private readonly http: HttpOptions,
  ) {
    super();
  }

  override async canActivate(context: ExecutionContext): Promise<boolean> {
    const rule = findAccessRule(this.reflector, context);
    if (rule === undefined || rule.credential === 'none') return true;
    rememberAccessRule(context.switchToHttp().getRequest<Request>(), rule);
    if (rule.credential === 'page') return (await this.pages.canActivate(context)) as boolean;
    return (await super.canActivate(context)) as boolean;
  }

  /** Specifies whether the credential was missing or invalid (docs/contract.md#3.1). */
  // eslint-disable-next-line @typescript-eslint/no-unnecessary-type-parameters -- inherited
  override handleRequest<TUser = Caller>(
    error: unknown,
    principal: Principal | false | null | undefined,
    info: unknown,
    context: ExecutionContext,
  ): TUser {
    // Without the database, admins are unknown. A 503 would reveal the route, so this is a 404.
    const isHidden = findAccessRule(this.reflector, context)?.admin;
    if (isHidden && isDatabaseUnreachable(error)) throw new NotFoundError();
    // eslint-disable-next-line @typescript-eslint/only-throw-error -- rethrown, of any type
    if (error) throw error;
    return this.decideCaller(context, principal || null, info) as TUser;
  }

  /** @param info reasons from the strategies that found no principal */
  private decideCaller(
    context: ExecutionContext,
    principal: Principal | null,
    info: unknown,
  ): Caller {
    const request = context.switchToHttp().getRequest<Request>();
    const credential = credentialFromRequest(request);
    const isCookie = credential?.kind === 'cookie';
    if (principal !== null) {
      const isForeign = isCookie && !mayActWithCookie(request, this.http);
      return new Caller(principal, isForeign ? new OriginRefusedError() : null);
    }
    if (credential === null) return new Caller(null);
    if (credential.kind === 'misplaced') return new Caller(null, credential.error);
    const refusal = [info].flat().find((each) => each instanceof CredentialRefusal);
    const isOptional = findAccessRule(this.reflector, context)?.credential === 'optional';
    // Rejects the request, so that the link does not become anonymous because the session has
    // ended.
    const isLost = refusal !== undefined && needsLiveSession(request);
    if (isCookie && isOptional && !isLost) return new Caller(null);
    return new Caller(null, new AuthenticationError(refusal?.reason ?? BAD[credential.kind]));
  }
}

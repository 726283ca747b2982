import { ExecutionContext, Injectable } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import { AuthGuard } from '@nestjs/passport';
import type { Request } from 'express';
import { isDatabaseUnreachable } from '../common/database-fault';
import { AuthenticationError, NotFoundError } from '../common/errors';
import { HttpOptions } from '../config/options';
import { findAccessRule } from './access.decorator';
import { OriginRefusedError } from './access.errors';
import { Caller, needsLiveSession, rememberAccessRule } from './caller';
import { mayActWithCookie } from './cookies';
import {
  API_KEY_STRATEGY,
  CredentialRefusal,
  credentialFromRequest,
  JWT_STRATEGY,
  PAGE_SESSION_STRATEGY,
} from './credential';
import type { Principal } from './principal';

/** Texts for a credential whose strategy says no more. */
const BAD = {
  key: 'The API key is not valid',
  token: 'The access token is not valid or has expired',
  cookie: 'The session is not valid or has expired, sign in again',
};

/** Finds who is signed in with the browser that asks for a page; nobody where nobody is. */
class PageSessionGuard extends AuthGuard(PAGE_SESSION_STRATEGY) {
  // The parameter is the base class'.
  // eslint-disable-next-line @typescript-eslint/no-unnecessary-type-parameters
  override handleRequest<TUser = Caller>(
    error: unknown,
    principal: Principal | false | null | undefined,
    info: unknown,
  ): TUser {
    // The strategy has thrown it, of whatever type it is.
    // eslint-disable-next-line @typescript-eslint/only-throw-error
    if (error) throw error;
    // Pages are shown all the same; a form that is about to write may demand access.
    const refusal = info instanceof CredentialRefusal ? new AuthenticationError(info.reason) : null;
    return new Caller(principal || null, refusal) as TUser;
  }
}

/**
 * Finds out who is calling, by the strategies that accounts and API keys have registered with
 * passport; `request.user` is the Caller. It refuses nobody, so that refused requests are counted:
 * the access guard decides. It throws where it could not find out.
 */
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

  /** Tells an absent credential from a bad one (docs/contract.md#3.1). */
  // The parameter is the base class'.
  // eslint-disable-next-line @typescript-eslint/no-unnecessary-type-parameters
  override handleRequest<TUser = Caller>(
    error: unknown,
    principal: Principal | false | null | undefined,
    info: unknown,
    context: ExecutionContext,
  ): TUser {
    // Nobody can be known as an admin then, and a 503 would tell that there is a route.
    const isHidden = findAccessRule(this.reflector, context)?.admin;
    if (isHidden && isDatabaseUnreachable(error)) throw new NotFoundError();
    // The strategy has thrown it, of whatever type it is.
    // eslint-disable-next-line @typescript-eslint/only-throw-error
    if (error) throw error;
    return this.decideCaller(context, principal || null, info) as TUser;
  }

  /** @param info what the strategies say that did not find the principal, one or a list */
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
    // A link made in a session that has ended must not become nobody's.
    const isLost = refusal !== undefined && needsLiveSession(request);
    if (isCookie && isOptional && !isLost) return new Caller(null);
    return new Caller(null, new AuthenticationError(refusal?.reason ?? BAD[credential.kind]));
  }
}

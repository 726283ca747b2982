import { ExecutionContext, Injectable } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import { AuthGuard } from '@nestjs/passport';
import type { Request } from 'express';
import { AuthenticationError } from '../common/errors';
import { HttpOptions } from '../config/options';
import { accessRuleOf } from './access.decorator';
import { OriginRefusedError } from './access.errors';
import { Caller, rememberAccessRule } from './caller';
import { mayActWithCookie } from './cookies';
import { API_KEY_STRATEGY, credentialOf, JWT_STRATEGY } from './credential';
import type { Principal } from './principal';

/**
 * Finds out who is calling, by the strategies that accounts and API keys have registered with
 * passport; `request.user` is the Caller. It refuses nobody, so that refused requests are counted:
 * the access guard decides. What it could not find out is thrown.
 */
@Injectable()
export class CredentialGuard extends AuthGuard([JWT_STRATEGY, API_KEY_STRATEGY]) {
  constructor(
    private readonly reflector: Reflector,
    private readonly http: HttpOptions,
  ) {
    super();
  }

  override async canActivate(context: ExecutionContext): Promise<boolean> {
    const rule = accessRuleOf(this.reflector, context);
    if (rule === undefined || rule.credential === 'none') return true;
    rememberAccessRule(context.switchToHttp().getRequest<Request>(), rule);
    return (await super.canActivate(context)) as boolean;
  }

  /** Tells an absent credential from a bad one (docs/contract.md#3.1). */
  // The parameter is the base class'.
  // eslint-disable-next-line @typescript-eslint/no-unnecessary-type-parameters
  override handleRequest<TUser = Caller>(
    error: unknown,
    principal: Principal | false | null | undefined,
    _info: unknown,
    context: ExecutionContext,
  ): TUser {
    // Whatever it is, it is what the strategy has thrown.
    // eslint-disable-next-line @typescript-eslint/only-throw-error
    if (error) throw error;
    return this.callerOf(context, principal || null) as TUser;
  }

  private callerOf(context: ExecutionContext, principal: Principal | null): Caller {
    const request = context.switchToHttp().getRequest<Request>();
    const credential = credentialOf(request);
    const isCookie = credential?.kind === 'cookie';
    if (principal !== null) {
      const isForeign = isCookie && !mayActWithCookie(request, this.http);
      return new Caller(principal, isForeign ? new OriginRefusedError() : null);
    }
    const isOptional = accessRuleOf(this.reflector, context)?.credential === 'optional';
    const isAbsent = credential === null || (isCookie && isOptional);
    return new Caller(
      null,
      isAbsent ? null : new AuthenticationError('The credential is not valid'),
    );
  }
}

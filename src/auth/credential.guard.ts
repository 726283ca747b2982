import { CanActivate, ExecutionContext, Injectable } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import type { Request } from 'express';
import { HttpOptions } from '../config/options';
import { ACCESS_RULE, AccessRule } from './access.decorator';
import { OriginRefusedError } from './access.errors';
import { Authenticator } from './authenticator';
import { Caller, rememberCaller } from './caller';
import { ACCESS_COOKIE, readCookie } from './cookies';
import { mayActWithCookie } from './cookies';

/**
 * Finds out who is calling, in the order of docs/contract.md#3.1: bearer key, bearer JWT, cookie, nobody.
 * It refuses nothing but a cookie session from a foreign origin; the access guard decides.
 */
@Injectable()
export class CredentialGuard implements CanActivate {
  constructor(
    private readonly reflector: Reflector,
    private readonly authenticator: Authenticator,
    private readonly http: HttpOptions,
  ) {}

  async canActivate(context: ExecutionContext): Promise<boolean> {
    const rule = this.reflector.getAllAndOverride<AccessRule | undefined>(ACCESS_RULE, [
      context.getHandler(),
      context.getClass(),
    ]);
    if (rule === undefined || rule.credential === 'none') return true;
    const request = context.switchToHttp().getRequest<Request>();
    rememberCaller(request, await this.callerOf(request, rule));
    return true;
  }

  private async callerOf(request: Request, rule: AccessRule): Promise<Caller> {
    const { authorization } = request.headers;
    if (authorization !== undefined) return this.byHeader(authorization, rule);
    const cookie = readCookie(request, ACCESS_COOKIE);
    if (cookie === null) return Caller.ANONYMOUS;
    const principal = await this.authenticator.byToken(cookie, rule.liveSession);
    if (principal === null) return new Caller(null, rule.credential === 'required');
    const caller = new Caller(principal, false);
    if (!mayActWithCookie(request, this.http)) caller.refusal = new OriginRefusedError();
    return caller;
  }

  private async byHeader(authorization: string, rule: AccessRule): Promise<Caller> {
    const token = /^Bearer +(\S+) *$/i.exec(authorization)?.[1];
    if (token === undefined) return new Caller(null, true);
    const principal = token.startsWith('svc_')
      ? await this.authenticator.byKey(token)
      : await this.authenticator.byToken(token, rule.liveSession);
    return new Caller(principal, principal === null);
  }
}

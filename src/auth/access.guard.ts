import { CanActivate, ExecutionContext, Injectable } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import type { Request } from 'express';
import { AuthenticationError, CurtailError, NotFoundError } from '../common/errors';
import {
  AccessRule,
  Caller,
  callerFromRequest,
  findAccessRule,
  type Principal,
  type Scope,
} from './access';
import {
  AccountLeavingError,
  EmailNotVerifiedError,
  KeyRefusedError,
  ScopeMissingError,
} from './access.errors';
import { isSafe } from './cookies';

/** Enforces a route's access rule. Refuses all requests if a route has no rule. */
@Injectable()
export class AccessGuard implements CanActivate {
  constructor(private readonly reflector: Reflector) {}

  canActivate(context: ExecutionContext): boolean {
    const rule = findAccessRule(this.reflector, context);
    if (rule === undefined) throw new Error('The route has no @Access');
    const request = context.switchToHttp().getRequest<Request>();
    const caller = callerFromRequest(request);
    const refusal = decideRefusal(rule, caller, isSafe(request));
    if (refusal === null) return true;
    if (!rule.deferred) throw refusal;
    request.user = new Caller(caller.principal, refusal);
    return true;
  }
}

/**
 * Runs before the rate limit, because rate-limit headers would reveal the route
 * (docs/contract.md#24.1).
 */
@Injectable()
export class AdminGuard implements CanActivate {
  constructor(private readonly reflector: Reflector) {}

  canActivate(context: ExecutionContext): boolean {
    if (!findAccessRule(this.reflector, context)?.admin) return true;
    const { principal } = callerFromRequest(context.switchToHttp().getRequest<Request>());
    if (principal?.kind !== 'session' || !principal.isAdmin) throw new NotFoundError();
    return true;
  }
}

/**
 * Checks the credential, verified email and scope, in that order (docs/contract.md#2).
 * @param reads whether the method only reads
 */
export function decideRefusal(
  rule: AccessRule,
  { principal, refusal }: Caller,
  reads: boolean,
): CurtailError | null {
  if (rule.credential === 'none') return null;
  const isStopped = principal?.isLeaving === true && !mayLeaving(rule, reads);
  if (rule.credential === 'page') return isStopped ? new AccountLeavingError() : null;
  if (refusal !== null) return refusal;
  if (principal === null) {
    return rule.credential === 'required' ? new AuthenticationError() : null;
  }
  if (principal.kind === 'key' && !rule.keys) return new KeyRefusedError();
  if (rule.verified && !principal.emailVerified) return new EmailNotVerifiedError();
  if (isStopped) return new AccountLeavingError();
  return isGranted(principal, rule.scopes) ? null : new ScopeMissingError(rule.scopes);
}

function isGranted({ kind, scopes }: Principal, wanted: readonly Scope[]): boolean {
  if (kind === 'session' || wanted.length === 0) return true;
  return scopes.some((scope) => scope === 'admin:all' || wanted.includes(scope));
}

/** For routes on which the scope depends on the input. @throws AccountLeavingError, ScopeMissingError */
export function demandScope(principal: Principal, scope: Scope): void {
  if (principal.isLeaving === true && !isReading(scope)) throw new AccountLeavingError();
  if (!isGranted(principal, [scope])) throw new ScopeMissingError([scope]);
}

const isReading = (scope: Scope): boolean => scope.endsWith(':read');

/** Routes of another API may create objects on GET, so only their scopes decide. */
function mayLeaving({ whileLeaving, scopes, readKey }: AccessRule, reads: boolean): boolean {
  const onlyReads = scopes.every(isReading);
  if (readKey !== undefined) return onlyReads;
  return whileLeaving ?? (reads || (scopes.length > 0 && onlyReads));
}

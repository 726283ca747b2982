import { createParamDecorator, ExecutionContext } from '@nestjs/common';
import type { Request } from 'express';
import { AuthenticationError, CurtailError } from '../common/errors';
import type { Viewer } from '../common/http/page';
import { Client } from '../infrastructure/client-address/client-address';
import type { AccessRule } from './access.decorator';
import { isSafe } from './cookies';
import type { Principal } from './principal';

/** The origin of a request, as the guards have found it out; `request.user` to passport. */
export class Caller {
  constructor(
    /** Null for anonymous callers and bad credentials. */
    readonly principal: Principal | null,
    /** Why the request may not go on: the credential, or on deferred routes the route's rule. */
    readonly refusal: CurtailError | null = null,
  ) {}

  /** The owner that the caller acts for, null for anonymous callers. */
  get ownerId(): string | null {
    return this.principal?.ownerId ?? null;
  }

  /** Throws the refusal that a deferred route has put off (docs/contract.md#2: shape before credential). */
  demandAccess(): void {
    if (this.refusal) throw this.refusal;
  }

  /** The principal; 401 for anonymous callers. */
  demandPrincipal(): Principal {
    this.demandAccess();
    if (this.principal === null) throw new AuthenticationError();
    return this.principal;
  }
}

/** The caller of a request; anonymous where no credential is looked at. */
export function callerFromRequest(request: Request): Caller {
  return request.user instanceof Caller ? request.user : new Caller(null);
}

const rules = new WeakMap<Request, AccessRule>();

/** Keeps the route's rule for the strategies, which see the request alone. */
export function rememberAccessRule(request: Request, rule: AccessRule): void {
  rules.set(request, rule);
}

/** Whether the session behind the request's token must not have ended. */
export function needsLiveSession(request: Request): boolean {
  const rule = rules.get(request);
  return rule === undefined || (rule.liveSession ?? !isSafe(request));
}

const clients = new WeakMap<Request, Client>();

export function rememberClient(request: Request, client: Client): void {
  clients.set(request, client);
}

export function clientFromRequest(request: Request): Client {
  const client = clients.get(request);
  if (client === undefined) throw new Error('A handler was reached past the rate limit guard');
  return client;
}

/** Hands the caller (maybe anonymous) to a handler of a route with optional access. */
export const CurrentCaller = createParamDecorator((_: unknown, context: ExecutionContext) =>
  callerFromRequest(context.switchToHttp().getRequest<Request>()),
);

/** Returns who looks at the page of a request, for its header. */
export function viewerFromRequest(request: Request): Viewer | null {
  const { principal } = callerFromRequest(request);
  return principal?.email === undefined
    ? null
    : { email: principal.email, emailVerified: principal.emailVerified };
}

/** Hands who looks at a page to its handler, null for who is not signed in. */
export const CurrentViewer = createParamDecorator((_: unknown, context: ExecutionContext) =>
  viewerFromRequest(context.switchToHttp().getRequest<Request>()),
);

/** Hands the principal to a handler of a protected route. */
export const CurrentPrincipal = createParamDecorator((_: unknown, context: ExecutionContext) =>
  callerFromRequest(context.switchToHttp().getRequest<Request>()).demandPrincipal(),
);

/**
 * Hands the client to a handler, who passes it to services that queue work by client. The rate
 * limit guard, which runs on every route, has put it there.
 */
export const CurrentClient = createParamDecorator((_: unknown, context: ExecutionContext) =>
  clientFromRequest(context.switchToHttp().getRequest<Request>()),
);

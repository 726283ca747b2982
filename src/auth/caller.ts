import { createParamDecorator, ExecutionContext } from '@nestjs/common';
import type { Request } from 'express';
import { AuthenticationError, CurtailError } from '../common/errors';
import { Client } from '../infrastructure/client-address/client';
import { Principal } from './principal';

/** What the credential guard found out about a request. */
export class Caller {
  constructor(
    readonly principal: Principal | null,
    /** True when a credential was presented that is not valid. */
    readonly bad: boolean,
    /** On deferred routes: what the access guard would have thrown. */
    public refusal: CurtailError | null = null,
  ) {}

  static readonly ANONYMOUS = new Caller(null, false);

  /** The account's id, null for anonymous callers. */
  get userId(): string | null {
    return this.principal?.userId ?? null;
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

const callers = new WeakMap<Request, Caller>();

export function rememberCaller(request: Request, caller: Caller): void {
  callers.set(request, caller);
}

export function callerOf(request: Request): Caller {
  return callers.get(request) ?? Caller.ANONYMOUS;
}

const clients = new WeakMap<Request, Client>();

export function rememberClient(request: Request, client: Client): void {
  clients.set(request, client);
}

/** Hands the caller (maybe anonymous) to a handler of a route with optional access. */
export const CurrentCaller = createParamDecorator((_: unknown, context: ExecutionContext) =>
  callerOf(context.switchToHttp().getRequest<Request>()),
);

/** Hands the principal to a handler of a protected route. */
export const CurrentPrincipal = createParamDecorator((_: unknown, context: ExecutionContext) =>
  callerOf(context.switchToHttp().getRequest<Request>()).demandPrincipal(),
);

/**
 * Hands the client to a handler, who passes it to services that queue work by client. The rate
 * limit guard, which runs on every route, has put it there.
 */
export const CurrentClient = createParamDecorator((_: unknown, context: ExecutionContext) => {
  const client = clients.get(context.switchToHttp().getRequest<Request>());
  if (client === undefined) throw new Error('A handler was reached past the rate limit guard');
  return client;
});

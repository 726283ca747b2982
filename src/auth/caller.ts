import { createParamDecorator, ExecutionContext } from '@nestjs/common';
import type { Request } from 'express';
import { AuthenticationError, CurtailError } from '../common/errors';
import type { Viewer } from '../common/http/page';
import { Client } from '../infrastructure/client-address/client-address';
import type { AccessRule, KeyReader } from './access.decorator';
import { isSafe } from './cookies';
import type { Principal } from './principal';

/** The request's caller, which the guards store as `request.user`. */
export class Caller {
  constructor(
    /** Null for anonymous callers and invalid credentials. */
    readonly principal: Principal | null,
    /** Error for an invalid credential or, on deferred routes, for missing access. */
    readonly refusal: CurtailError | null = null,
  ) {}

  get ownerId(): string | null {
    return this.principal?.ownerId ?? null;
  }

  /** Throws the stored error. Deferred routes call this after validation (docs/contract.md#2). */
  demandAccess(): void {
    if (this.refusal) throw this.refusal;
  }

  demandPrincipal(): Principal {
    this.demandAccess();
    if (this.principal === null) throw new AuthenticationError();
    return this.principal;
  }
}

export function callerFromRequest(request: Request): Caller {
  return request.user instanceof Caller ? request.user : new Caller(null);
}

const rules = new WeakMap<Request, AccessRule>();

/**
 * Stores the access rule in the request, because passport strategies have access only to the
 * request.
 */
export function rememberAccessRule(request: Request, rule: AccessRule): void {
  rules.set(request, rule);
}

export function findKeyReader(request: Request): KeyReader | undefined {
  return rules.get(request)?.readKey;
}

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
  if (client === undefined) throw new Error('The handler was called without the rate limit guard');
  return client;
}

export const CurrentCaller = createParamDecorator((_: unknown, context: ExecutionContext) =>
  callerFromRequest(context.switchToHttp().getRequest<Request>()),
);

export function viewerFromRequest(request: Request): Viewer | null {
  const { principal } = callerFromRequest(request);
  return principal?.email === undefined
    ? null
    : { email: principal.email, emailVerified: principal.emailVerified };
}

export const CurrentViewer = createParamDecorator((_: unknown, context: ExecutionContext) =>
  viewerFromRequest(context.switchToHttp().getRequest<Request>()),
);

export const CurrentPrincipal = createParamDecorator((_: unknown, context: ExecutionContext) =>
  callerFromRequest(context.switchToHttp().getRequest<Request>()).demandPrincipal(),
);

/** Injects the client, which the rate-limit guard sets on every route. */
export const CurrentClient = createParamDecorator((_: unknown, context: ExecutionContext) =>
  clientFromRequest(context.switchToHttp().getRequest<Request>()),
);

import {
  createParamDecorator,
  type CustomDecorator,
  ExecutionContext,
  SetMetadata,
} from '@nestjs/common';
import type { Reflector } from '@nestjs/core';
import type { Request } from 'express';
import { AuthenticationError, CurtailError } from '../common/errors';
import type { Viewer } from '../common/http/page';
import { Client } from '../infrastructure/client-address/client-address';
import { isSafe } from './cookies';

export const SCOPES = [
  'shorten:create',
  'urls:read',
  'urls:manage',
  'stats:read',
  'domains:read',
  'domains:manage',
  'reports:create',
  'admin:all',
] as const;

export type Scope = (typeof SCOPES)[number];

export interface Principal {
  /** The account's id; sessions, keys and limits belong to the account. */
  readonly userId: string;
  /** Id of the account that owns links, statistics and files. */
  readonly ownerId: string;
  /** `session`: a bearer JWT or the access_token cookie; `key`: an API key. */
  readonly kind: 'session' | 'key';
  readonly sessionId: string | null;
  readonly keyId?: string;
  /** A key's scopes; empty for sessions, which do not need scopes. */
  readonly scopes: readonly Scope[];
  readonly email?: string;
  /** The claim's value in the JWT; for an API key, the account's value. */
  readonly emailVerified: boolean;
  /** Read from the account. Set only if the route requires a live session. */
  readonly isAdmin?: boolean;
  /** Whether the account is leaving (docs/contract.md#23.1). Set for sessions. */
  readonly isLeaving?: boolean;
}

/** Only this function sets the owner for an account. Currently, the account is its own owner. */
export function principalFor(account: Omit<Principal, 'ownerId'>): Principal {
  return { ...account, ownerId: account.userId };
}

/** Returns the API key, an error for another credential, or null. */
type KeyReader = (request: Request) => string | AuthenticationError | null;

export interface AccessRule {
  /** `none` ignores credentials. `page` reads only cookies and never refuses a request. */
  readonly credential: 'none' | 'page' | 'optional' | 'required';
  /** Whether API keys are accepted. Sessions always are. */
  readonly keys: boolean;
  /**
   * A key needs one of these scopes or admin:all. An empty list means that no scope is required.
   */
  readonly scopes: readonly Scope[];
  readonly verified: boolean;
  /** Rejects ended sessions, which requires a query. By default true except for GET and HEAD. */
  readonly liveSession?: boolean;
  /** Only for admin sessions. Other callers get a 404, which no limit counts (contract 24.1). */
  readonly admin?: boolean;
  /** Whether a leaving account may call the route; by default only to read (contract 23.1). */
  readonly whileLeaving?: boolean;
  /**
   * Reads the key from the place that another API specifies. Sessions are ignored
   * (docs/contract.md#35.1).
   */
  readonly readKey?: KeyReader;
  /** Whether the guard stores its error in the Caller, so that the handler throws it later. */
  readonly deferred: boolean;
}

export const ACCESS_RULE = 'curtail:access';

export function findAccessRule(
  reflector: Reflector,
  context: ExecutionContext,
): AccessRule | undefined {
  return reflector.getAllAndOverride<AccessRule | undefined>(ACCESS_RULE, [
    context.getHandler(),
    context.getClass(),
  ]);
}

function declareRule(partial: Partial<AccessRule>): CustomDecorator {
  const whole: AccessRule = {
    credential: 'required',
    keys: true,
    scopes: [],
    verified: true,
    deferred: false,
    ...partial,
  };
  return SetMetadata(ACCESS_RULE, whole);
}

/**
 * Declares a route's access rule. The service does not start if a route has no declaration.
 *
 * - `@Access('urls:read')` session, or key with one of the scopes; verified email
 * - `@Access.optional('shorten:create')` like the above, and anonymous callers
 * - `@Access.deferred('stats:read')` as optional, refusals thrown by `caller.demandAccess()`
 * - `@Access.open()` anonymous, session or any key, verified or not, to read (public stats)
 * - `@Access.account()` session or any key, verified or not (/auth, /oauth);
 *   `@Access.account({ scopes: ['admin:all'] })` session, or key with the scope
 * - `@Access.session()` sessions only, verified; `@Access.session({ verified: false })`
 * - `@Access.admin()` live admin sessions only; part of `@AdminAccess`
 * - `@Access.key(readKey, 'urls:read')` only keys, for the APIs of other shorteners
 * - `@Access.public()` ignores credentials
 * - `@Access.page()` pages and their forms, signed in or not
 *
 * `liveSession: true` (account, session, page) rejects ended sessions on reading routes too.
 * `whileLeaving: true` (session, page) admits accounts that are about to be deleted.
 */
export const Access = Object.assign((...scopes: [Scope, ...Scope[]]) => declareRule({ scopes }), {
  optional: (...scopes: [Scope, ...Scope[]]) => declareRule({ credential: 'optional', scopes }),
  deferred: (...scopes: [Scope, ...Scope[]]) =>
    declareRule({ credential: 'optional', scopes, deferred: true }),
  open: () =>
    declareRule({
      credential: 'optional',
      verified: false,
      liveSession: false,
      whileLeaving: true,
    }),
  account: (options: Partial<Pick<AccessRule, 'scopes' | 'liveSession'>> = {}) =>
    declareRule({ verified: false, ...options }),
  session: (options: Partial<Pick<AccessRule, 'verified' | 'liveSession' | 'whileLeaving'>> = {}) =>
    declareRule({ keys: false, ...options }),
  admin: () => declareRule({ keys: false, verified: false, liveSession: true, admin: true }),
  key: (readKey: KeyReader, ...scopes: Scope[]) => declareRule({ readKey, scopes }),
  public: () => declareRule({ credential: 'none', verified: false }),
  page: (options: Partial<Pick<AccessRule, 'liveSession' | 'whileLeaving'>> = {}) =>
    declareRule({ credential: 'page', keys: false, verified: false, ...options }),
});

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

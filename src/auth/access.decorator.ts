import { type CustomDecorator, type ExecutionContext, SetMetadata } from '@nestjs/common';
import type { Reflector } from '@nestjs/core';
import type { Request } from 'express';
import type { AuthenticationError } from '../common/errors';
import type { Scope } from './principal';

/** Returns the API key, an error for another credential, or null. */
export type KeyReader = (request: Request) => string | AuthenticationError | null;

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

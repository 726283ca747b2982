import { type CustomDecorator, type ExecutionContext, SetMetadata } from '@nestjs/common';
import type { Reflector } from '@nestjs/core';
import type { Scope } from './principal';

export interface AccessRule {
  /** `none` ignores credentials; `page` reads only the browser's cookies and never refuses. */
  readonly credential: 'none' | 'page' | 'optional' | 'required';
  /** Whether API keys are accepted; sessions always are. */
  readonly keys: boolean;
  /** A key needs one of these scopes (or admin:all); empty = no scope needed. */
  readonly scopes: readonly Scope[];
  readonly verified: boolean;
  /**
   * Rejects ended sessions, at the cost of a query. Default: for methods other than GET and HEAD.
   */
  readonly liveSession?: boolean;
  /** Admin sessions only; other callers get a 404, uncounted (docs/contract.md#24.1). */
  readonly admin?: boolean;
  /** The guard stores its refusal in the Caller; the handler throws it after validation. */
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
 * Declares a route's access; a route without a declaration fails the start-up.
 *
 * - `@Access('urls:read')` session, or key with one of the scopes; verified email
 * - `@Access.optional('shorten:create')` like the above, and anonymous callers
 * - `@Access.deferred('stats:read')` as optional, refusals thrown by `caller.demandAccess()`
 * - `@Access.open()` anonymous, session or any key, verified or not, to read (public stats)
 * - `@Access.account()` session or any key, verified or not (/auth, /oauth);
 *   `@Access.account({ scopes: ['admin:all'] })` session, or key with the scope
 * - `@Access.session()` sessions only, verified; `@Access.session({ verified: false })`
 * - `@Access.admin()` live admin sessions only; part of `@AdminAccess`
 * - `@Access.public()` ignores credentials
 * - `@Access.page()` pages and their forms, signed in or not
 *
 * `liveSession: true` (account, session, page) rejects ended sessions on reading routes too.
 */
export const Access = Object.assign((...scopes: [Scope, ...Scope[]]) => declareRule({ scopes }), {
  optional: (...scopes: [Scope, ...Scope[]]) => declareRule({ credential: 'optional', scopes }),
  deferred: (...scopes: [Scope, ...Scope[]]) =>
    declareRule({ credential: 'optional', scopes, deferred: true }),
  open: () => declareRule({ credential: 'optional', verified: false, liveSession: false }),
  account: (options: Partial<Pick<AccessRule, 'scopes' | 'liveSession'>> = {}) =>
    declareRule({ verified: false, ...options }),
  session: (options: Partial<Pick<AccessRule, 'verified' | 'liveSession'>> = {}) =>
    declareRule({ keys: false, ...options }),
  admin: () => declareRule({ keys: false, verified: false, liveSession: true, admin: true }),
  public: () => declareRule({ credential: 'none', verified: false }),
  page: (options: Partial<Pick<AccessRule, 'liveSession'>> = {}) =>
    declareRule({ credential: 'page', keys: false, verified: false, ...options }),
});

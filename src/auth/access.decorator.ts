import { type CustomDecorator, type ExecutionContext, SetMetadata } from '@nestjs/common';
import type { Reflector } from '@nestjs/core';
import type { Scope } from './principal';

/** Demands of a route on its caller (docs/contract.md#3). */
export interface AccessRule {
  /**
   * `none` looks at no credential at all; `page` at the cookies of a browser alone, and refuses
   * nobody.
   */
  readonly credential: 'none' | 'page' | 'optional' | 'required';
  /** API keys are let in; sessions always are. */
  readonly keys: boolean;
  /** A key needs one of these (or admin:all); empty = no scope needed. */
  readonly scopes: readonly Scope[];
  /** An authenticated caller must have a verified email. */
  readonly verified: boolean;
  /**
   * The session must not have ended, which costs a look at the database; elsewhere an access token
   * is believed until it runs out. By default a session must be live for what writes, which is
   * every method but GET and HEAD.
   */
  readonly liveSession?: boolean;
  /**
   * For sessions of admins; whoever else comes gets the 404 of an unknown path, before anything is
   * counted (docs/contract.md#24.1).
   */
  readonly admin?: boolean;
  /** The guard leaves its refusal in the Caller; the handler demands it after the shape checks. */
  readonly deferred: boolean;
}

export const ACCESS_RULE = 'curtail:access';

/** Returns the rule of a request's route, declared by its method or else by its controller. */
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
 * Declares a route's access, to the guard and in the API description (access.description.ts); a
 * route without a declaration is an error at start.
 *
 * - `@Access('urls:read')` session, or key with one of the scopes; verified email
 * - `@Access.optional('shorten:create')` the same, anonymous callers too
 * - `@Access.deferred('stats:read')` as optional, refusals thrown by `caller.demandAccess()`
 * - `@Access.open()` anonymous, session or any key, verified or not, to read (public stats)
 * - `@Access.account()` session or any key, verified or not (/auth, /oauth);
 *   `@Access.account({ scopes: ['admin:all'] })` session, or key with the scope
 * - `@Access.session()` sessions only, verified; `@Access.session({ verified: false })`
 *
 * A route that writes is 401 for the access token of a session that has ended; with
 * `liveSession: true`, which the last two take, one that reads is so, too.
 * - `@Access.admin()` sessions of admins, who are live; part of `@AdminAccess`
 * - `@Access.public()` looks at no credential
 * - `@Access.page()` pages and their forms: whoever is signed in with this browser, or nobody;
 *   `@Access.page({ liveSession: true })` nobody once the session has ended
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

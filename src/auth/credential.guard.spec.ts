import type { IncomingHttpHeaders } from 'node:http';
import type { ExecutionContext } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import type { Request } from 'express';
import type { HttpOptions } from '../config/options';
import { Access } from './access.decorator';
import { AccessGuard } from './access.guard';
import { type Caller, callerOf } from './caller';
import { CredentialGuard } from './credential.guard';
import type { Principal } from './principal';

class Routes {
  @Access.account()
  required(): void {
    return;
  }

  @Access.optional('shorten:create')
  optional(): void {
    return;
  }

  @Access.deferred('stats:read')
  deferred(): void {
    return;
  }
}

const SESSION: Principal = {
  userId: 'u',
  kind: 'session',
  sessionId: 's',
  scopes: [],
  emailVerified: true,
};
const options = { baseUrl: 'https://short.example', corsOrigins: ['https://app.example'] };
const guard = new CredentialGuard(new Reflector(), options as unknown as HttpOptions);

const request = (headers: IncomingHttpHeaders, method = 'POST'): Request =>
  ({ headers, method }) as Request;

/** As Nest describes a request that is on its way to a handler. */
function context(route: keyof Routes, given: Request): ExecutionContext {
  return {
    // eslint-disable-next-line @typescript-eslint/unbound-method
    getHandler: () => Routes.prototype[route],
    getClass: () => Routes,
    switchToHttp: () => ({ getRequest: () => given }),
  } as unknown as ExecutionContext;
}

const found = (
  route: keyof Routes,
  headers: IncomingHttpHeaders,
  principal: Principal | false,
): Caller => guard.handleRequest(null, principal, undefined, context(route, request(headers)));

describe('The credential guard', () => {
  it.each<[string, keyof Routes, IncomingHttpHeaders]>([
    ['nothing, where a credential is needed', 'required', {}],
    ['nothing, where one is optional', 'optional', {}],
    ['a bad cookie, where one is optional', 'optional', { cookie: 'access_token=x' }],
    ['an empty cookie', 'required', { cookie: 'access_token=' }],
  ])('takes %s for an absent credential', (_, route, headers) => {
    expect(found(route, headers, false)).toMatchObject({ principal: null, refusal: null });
  });

  it.each<[string, keyof Routes, IncomingHttpHeaders]>([
    ['a bad cookie, where a credential is needed', 'required', { cookie: 'access_token=x' }],
    ['a bad JWT', 'optional', { authorization: 'Bearer x' }],
    ['a bad key', 'optional', { authorization: 'Bearer svc_x' }],
    ['another scheme', 'optional', { authorization: 'Basic eDp5' }],
    ['a bad JWT beside a cookie', 'optional', { authorization: 'Bearer x', cookie: 'a=b' }],
  ])('refuses %s', (_, route, headers) => {
    expect(found(route, headers, false).refusal).toMatchObject({ status: 401 });
  });

  it.each([
    ['https://evil.example', 403],
    ['https://app.example', null],
    ['https://short.example', null],
  ])('judges the origin %s of a session that is a cookie', (origin, status) => {
    const caller = found('required', { cookie: 'access_token=x', origin }, SESSION);
    expect(caller.principal).toBe(SESSION);
    expect(caller.refusal?.status ?? null).toBe(status);
  });

  it('asks no origin of a token that is no cookie', () => {
    const headers = { authorization: 'Bearer x', origin: 'https://evil.example' };
    expect(found('required', headers, SESSION).refusal).toBeNull();
  });

  it('throws what kept it from finding out', () => {
    const failure = new Error('The database is away');
    const asked = () =>
      guard.handleRequest(failure, null, undefined, context('required', request({})));
    expect(asked).toThrow(failure);
  });
});

describe('A refusal that is put off', () => {
  it('is of one request alone', () => {
    const access = new AccessGuard(new Reflector());
    const [bad, anonymous] = [request({ authorization: 'Bearer x' }), request({})];
    for (const given of [bad, anonymous]) {
      given.user = guard.handleRequest(null, false, undefined, context('deferred', given));
      expect(access.canActivate(context('deferred', given))).toBe(true);
    }
    expect(() => callerOf(bad).demandAccess()).toThrow('not valid');
    expect(() => callerOf(anonymous).demandAccess()).not.toThrow();
    expect(() => callerOf(request({})).demandAccess()).not.toThrow();
  });
});

import type { IncomingHttpHeaders } from 'node:http';
import type { ExecutionContext } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import type { Request } from 'express';
import type { HttpOptions } from '../config/options';
import { Access, type Caller, callerFromRequest, type Principal } from './access';
import { AccessGuard } from './access.guard';
import { CredentialRefusal } from './credential';
import { CredentialGuard } from './credential.guard';

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
  ownerId: 'u',
  kind: 'session',
  sessionId: 's',
  scopes: [],
  emailVerified: true,
};
const options = { baseUrl: 'https://short.example', corsOrigins: ['https://app.example'] };
const guard = new CredentialGuard(new Reflector(), options as unknown as HttpOptions);

const request = (headers: IncomingHttpHeaders, method = 'POST'): Request =>
  ({ headers, method }) as Request;

/** Returns the context that Nest passes to guards. */
function context(route: keyof Routes, given: Request): ExecutionContext {
  return {
    // eslint-disable-next-line @typescript-eslint/unbound-method
    getHandler: () => Routes.prototype[route],
    getClass: () => Routes,
    switchToHttp: () => ({ getRequest: () => given }),
  } as unknown as ExecutionContext;
}

const basic = (userAndPassword: string): string =>
  `Basic ${Buffer.from(userAndPassword).toString('base64')}`;

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
    ['the password of a proxy', 'optional', { authorization: basic('ann:secret') }],
    ['another scheme', 'optional', { authorization: 'Negotiate YWJj' }],
    ['rubbish', 'optional', { authorization: '\\' }],
  ])('treats %s as a missing credential', (_, route, headers) => {
    expect(found(route, headers, false)).toMatchObject({ principal: null, refusal: null });
  });

  it.each<[string, keyof Routes, IncomingHttpHeaders]>([
    ['a bad cookie, where a credential is needed', 'required', { cookie: 'access_token=x' }],
    ['a bad JWT', 'optional', { authorization: 'Bearer x' }],
    ['a bad key', 'optional', { authorization: 'Bearer svc_x' }],
    ['a key without its scheme', 'optional', { authorization: 'svc_x' }],
    ['a JWT without its scheme', 'optional', { authorization: 'aa.bb.cc' }],
    ['a scheme without a credential', 'optional', { authorization: 'Bearer' }],
    ['more than one credential', 'optional', { authorization: 'Bearer x y' }],
    ['a key as user name', 'optional', { authorization: basic('svc_x:') }],
    ['a key as password', 'optional', { authorization: basic('ann:svc_x') }],
    ['a bad JWT alongside a cookie', 'optional', { authorization: 'Bearer x', cookie: 'a=b' }],
  ])('rejects %s', (_, route, headers) => {
    expect(found(route, headers, false).refusal).toMatchObject({ status: 401 });
  });

  it('rejects X-API-Key only on /api/v1, and only without another credential', () => {
    const key = { 'x-api-key': 'svc_x' };
    const refusalAt = (url: string, headers: IncomingHttpHeaders) => {
      const given = Object.assign(request({ ...key, ...headers }), { url });
      return guard.handleRequest(null, false, undefined, context('optional', given)).refusal;
    };
    expect(refusalAt('/api/v1/shorten', {})).toMatchObject({
      status: 401,
      hint: 'Authorization: Bearer svc_…',
    });
    expect(refusalAt('/api/v1/shorten', { cookie: 'access_token=x' })).toBeNull();
    expect(refusalAt('/auth/me', {})).toBeNull();
  });

  it('returns the reason if a strategy provides one', () => {
    const told = ['No auth token', new CredentialRefusal('The API key was revoked')];
    const given = context('required', request({ authorization: 'Bearer svc_x' }));
    const { refusal } = guard.handleRequest(null, false, told, given);
    expect(refusal?.message).toBe('The API key was revoked');
  });

  it.each([
    ['https://evil.example', 403],
    ['https://app.example', null],
    ['https://short.example', null],
  ])('checks whether a cookie session comes from %s', (origin, status) => {
    const caller = found('required', { cookie: 'access_token=x', origin }, SESSION);
    expect(caller.principal).toBe(SESSION);
    expect(caller.refusal?.status ?? null).toBe(status);
  });

  it('does not check the origin of a token outside a cookie', () => {
    const headers = { authorization: 'Bearer x', origin: 'https://evil.example' };
    expect(found('required', headers, SESSION).refusal).toBeNull();
  });

  it('rethrows the error that prevented the check', () => {
    const failure = new Error('The database is down');
    const asked = () =>
      guard.handleRequest(failure, null, undefined, context('required', request({})));
    expect(asked).toThrow(failure);
  });
});

describe('A deferred refusal', () => {
  it('applies to a single request', () => {
    const access = new AccessGuard(new Reflector());
    const [bad, anonymous] = [request({ authorization: 'Bearer x' }), request({})];
    for (const given of [bad, anonymous]) {
      given.user = guard.handleRequest(null, false, undefined, context('deferred', given));
      expect(access.canActivate(context('deferred', given))).toBe(true);
    }
    expect(() => callerFromRequest(bad).demandAccess()).toThrow('not valid');
    expect(() => callerFromRequest(anonymous).demandAccess()).not.toThrow();
    expect(() => callerFromRequest(request({})).demandAccess()).not.toThrow();
  });
});

import type { ExecutionContext } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import type { ClientAddress } from '../../infrastructure/client-address/client-address';
import { LimitMeter } from '../../infrastructure/meters/meters';
import { MemoryRateLimitStore } from '../../infrastructure/rate-limit-store/memory.rate-limit-store';
import { DAY_MS, MINUTE_MS } from '../../common/time';
import { AuthenticationError } from '../../common/errors';
import { type AccessRule, Caller, type Principal } from '../access';
import { limitRow, RateLimit, ROUTE_THROTTLER } from './rate-limits';
import { accountKey, RateLimiter, RateLimitGuard } from './rate-limiter';

const caller = (partial: Partial<Principal>): Caller =>
  new Caller({
    userId: 'u',
    ownerId: 'u',
    kind: 'session',
    sessionId: null,
    scopes: [],
    emailVerified: true,
    ...partial,
  });
const route = (keys: boolean): AccessRule => ({
  credential: 'required',
  keys,
  scopes: [],
  verified: true,
  deferred: false,
  liveSession: false,
});

describe('The rate limit guard', () => {
  const SHORTEST = { 'X-RateLimit-Limit': '20', 'X-RateLimit-Reset': '60' };

  class Routes {
    @RateLimit('links.create')
    create(): void {
      return;
    }

    @RateLimit('links.list')
    list(): void {
      return;
    }

    @RateLimit('links.resolve')
    resolve(): void {
      return;
    }

    @RateLimit.none()
    free(): void {
      return;
    }

    undeclared(): void {
      return;
    }
  }

  let store: MemoryRateLimitStore;
  let asked: jest.SpyInstance;
  let guard: RateLimitGuard;
  let headers: Record<string, string>;
  let now: number;

  beforeEach(async () => {
    now = 0;
    store = new MemoryRateLimitStore(() => now, { clients: 1024, others: 1024 });
    asked = jest.spyOn(store, 'increment');
    headers = {};
    const options = { throttlers: [{ name: ROUTE_THROTTLER, limit: 0, ttl: 0 }], storage: store };
    const limiter = new RateLimiter(store, new LimitMeter());
    const address = { client: () => ({ key: '192.0.2.1' }) } as unknown as ClientAddress;
    guard = new RateLimitGuard(options, store, new Reflector(), limiter, address);
    await guard.onModuleInit();
  });

  const pass = (route: keyof Routes, user?: Caller, method = 'POST'): Promise<boolean> => {
    const response = { setHeader: (name: string, value: string) => (headers[name] = value) };
    const request = { headers: {}, user, method };
    return guard.canActivate({
      // eslint-disable-next-line @typescript-eslint/unbound-method
      getHandler: () => Routes.prototype[route],
      getClass: () => Routes,
      switchToHttp: () => ({ getRequest: () => request, getResponse: () => response }),
    } as unknown as ExecutionContext);
  };

  it('queries the storage once per request for all windows that apply to the caller', async () => {
    await expect(pass('create')).resolves.toBe(true);
    expect(headers).toEqual({ ...SHORTEST, 'X-RateLimit-Remaining': '19' });
    await pass('create', caller({}));
    expect(asked.mock.calls).toEqual([
      [
        'links.create|ip:192.0.2.1',
        MINUTE_MS,
        20,
        MINUTE_MS,
        'route',
        [{ limit: 200, ms: DAY_MS }],
      ],
      ['links.create|user:u', MINUTE_MS, 60, MINUTE_MS, 'route', [{ limit: 5000, ms: DAY_MS }]],
    ]);
  });

  it('counts a rejected request in none of the windows', async () => {
    for (let i = 0; i < 20; i++) await pass('create');
    await expect(pass('create')).rejects.toMatchObject({
      status: 429,
      headers: { 'Retry-After': '60', 'X-Svc-Hint': limitRow('links.create').hint },
    });
    expect(headers).toEqual({ ...SHORTEST, 'X-RateLimit-Remaining': '0' });
    const day = await store.takeFromWindows('links.create|ip:192.0.2.1', [
      { limit: 200, ms: DAY_MS },
    ]);
    expect(day.windows[0]?.count).toBe(21);
  });

  it('counts reads with keys and reads with sessions separately, but all writes together', async () => {
    const key = caller({ kind: 'key', keyId: 'k', scopes: ['urls:read'] });
    for (const user of [caller({}), key]) {
      await pass('list', user, 'GET');
      await pass('list', user, 'HEAD');
      await pass('resolve', user);
      await pass('create', user);
    }
    expect(asked.mock.calls.map(([counter]: unknown[]) => counter)).toEqual([
      ...['links.list|user:u', 'links.list|user:u', 'links.resolve|user:u', 'links.create|user:u'],
      ...['links.list|keys:u', 'links.list|keys:u', 'links.resolve|keys:u', 'links.create|user:u'],
    ]);
  });

  it('gives no hint to signed-in callers', async () => {
    for (let i = 0; i < 60; i++) await pass('create', caller({}));
    const refusal: unknown = await pass('create', caller({})).catch((error: unknown) => error);
    expect(refusal).toMatchObject({ status: 429, headers: { 'Retry-After': '60' } });
    expect(refusal).not.toHaveProperty('headers.X-Svc-Hint');
  });

  it('counts nothing on a route without a limit, and rejects a route without a declaration', async () => {
    await expect(pass('free')).resolves.toBe(true);
    await expect(pass('undeclared')).rejects.toThrow('has no @RateLimit');
    expect(asked).not.toHaveBeenCalled();
  });
});

describe('The counter for a caller', () => {
  const session = caller({});
  const key = caller({ kind: 'key', keyId: 'k', scopes: ['shorten:create'] });
  const master = caller({ kind: 'key', keyId: 'm', scopes: ['admin:all'] });

  it('belongs to the account, for sessions and for keys that the route accepts', () => {
    expect(accountKey(session, route(true), false)).toBe('user:u');
    expect(accountKey(key, route(true), false)).toBe('user:u');
    expect(accountKey(session, route(false), true)).toBe('user:u');
  });

  it('is shared by all keys of the account when they read', () => {
    expect(accountKey(key, route(true), true)).toBe('keys:u');
    expect(accountKey(master, route(true), true)).toBe('keys:u');
    expect(accountKey(session, route(true), true)).toBe('user:u');
  });

  it('belongs to the API key if the route does not accept keys, with any scopes', () => {
    expect(accountKey(key, route(false), true)).toBe('key:k');
    expect(accountKey(master, route(false), false)).toBe('key:m');
  });

  it('does not belong to an account without a valid credential', () => {
    expect(accountKey(new Caller(null), route(false), false)).toBeUndefined();
    const invalid = new Caller(null, new AuthenticationError());
    expect(accountKey(invalid, route(true), true)).toBeUndefined();
  });
});

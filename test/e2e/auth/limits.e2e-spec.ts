import request from 'supertest';
import { aVerifiedAccount, STRONG_PASSWORD } from '../../support/factories/accounts';
import { anAddress, bearer } from '../../support/http';
import { expectSeparateReadCounters } from '../../support/limits';
import { type Service, startService } from '../../support/service';

const HINT =
  'Sign in or use an API key for the authenticated tier: POST /api/v1/shorten allows 60 per minute and 5000 per day';

describe('Rate limits', () => {
  let service: Service;
  beforeAll(async () => (service = await startService()));
  afterAll(() => service.stop());

  const shorten = (address: string, headers: Record<string, string> = {}) =>
    request(service.url)
      .post('/api/v1/shorten')
      .set({ 'X-Forwarded-For': address, ...headers })
      .send({});

  async function exhaust(times: number, call: () => request.Test): Promise<request.Response> {
    for (let i = 0; i < times; i++) expect((await call()).status).not.toBe(429);
    return call();
  }

  it('tell anonymous callers of /api/v1 which limit applies after a sign-in', async () => {
    const address = anAddress();
    const before = Math.floor(Date.now() / 1000);
    const first = await shorten(address);
    const after = Math.ceil(Date.now() / 1000);
    expect(first.get('X-RateLimit-Limit')).toBe('20');
    expect(first.get('X-RateLimit-Remaining')).toBe('19');
    const reset = Number(first.get('X-RateLimit-Reset'));
    expect(reset).toBeGreaterThanOrEqual(before + 60);
    expect(reset).toBeLessThanOrEqual(after + 60);
    const refused = await exhaust(19, () => shorten(address));
    expect(refused.status).toBe(429);
    expect(refused.body).toEqual({
      error: expect.any(String),
      code: 'rate_limit_exceeded',
      hint: HINT,
    });
    expect(refused.get('X-Svc-Hint')).toBe(HINT);
    expect(refused.get('X-Error-Code')).toBe('rate_limit_exceeded');
    expect(refused.get('X-RateLimit-Remaining')).toBe('0');
    expect(refused.get('X-RateLimit-Reset')).toBe(String(reset));
    const wait = Number(refused.get('Retry-After'));
    expect(wait).toBeGreaterThan(0);
    expect(wait).toBeLessThanOrEqual(60);
    expect((await shorten(anAddress())).status).toBe(422);
  });

  it('have no hint on account routes or for authenticated callers', async () => {
    const address = anAddress();
    const login = () =>
      request(service.url)
        .post('/auth/login')
        .set('X-Forwarded-For', address)
        .send({ email: 'nobody@example.com', password: STRONG_PASSWORD });
    const refused = await exhaust(5, login);
    expect(refused.status).toBe(429);
    expect(refused.body.hint).toBeUndefined();
    expect(refused.get('X-Svc-Hint')).toBeUndefined();
    const account = await aVerifiedAccount(service);
    const create = () =>
      request(service.url)
        .post('/api/v1/keys')
        .set({ 'X-Forwarded-For': anAddress(), ...bearer(account.accessToken) })
        .send({});
    const hourly = await exhaust(5, create);
    expect([hourly.status, hourly.body.hint]).toEqual([429, undefined]);
    expect(hourly.get('X-Svc-Hint')).toBeUndefined();
    expect(Number(hourly.get('Retry-After'))).toBeGreaterThan(3000);
  });

  it('count invalid and missing credentials by address, not by the claimed identity', async () => {
    const address = anAddress();
    const account = await aVerifiedAccount(service);
    const bad = () => shorten(address, bearer(`${account.accessToken}x`));
    expect((await exhaust(20, bad)).status).toBe(429);
    const good = await shorten(address, bearer(account.accessToken));
    expect([good.status, good.get('X-RateLimit-Remaining')]).toEqual([422, '59']);
    const keys = () =>
      request(service.url).delete('/api/v1/keys/x').set('X-Forwarded-For', address);
    const refused = await exhaust(30, keys);
    expect([refused.status, refused.body.hint]).toEqual([429, HINT]);
  });

  it('count reads by keys and sessions separately, and writes together', async () => {
    await expectSeparateReadCounters(service);
  });

  it('have a separate counter for each route', async () => {
    const address = anAddress();
    await exhaust(20, () => shorten(address));
    const check = await request(service.url)
      .get('/api/v1/shorten/check-alias?alias=abc')
      .set('X-Forwarded-For', address);
    expect([check.status, check.get('X-RateLimit-Limit')]).toEqual([200, '60']);
  });

  it('have no headers on unlimited routes', async () => {
    for (const path of ['/health', '/openapi.json']) {
      const answer = await request(service.url).get(path);
      expect([answer.status, answer.get('X-RateLimit-Limit')]).toEqual([200, undefined]);
    }
  });
});

describe('Rate limits without TRUST_PROXY', () => {
  it('ignore X-Forwarded-For', async () => {
    const service = await startService({ env: { TRUST_PROXY: undefined } });
    try {
      const statuses: number[] = [];
      for (let i = 0; i < 6; i++) {
        const call = request(service.url).post('/auth/login').set('X-Forwarded-For', anAddress());
        statuses.push((await call.send({})).status);
      }
      expect(statuses).toEqual([422, 422, 422, 422, 422, 429]);
    } finally {
      await service.stop();
    }
  });
});

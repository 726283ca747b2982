import request from 'supertest';
import {
  ADMIN_EMAIL,
  aKey,
  anAccountWithoutPassword,
  anAdmin,
  anAccount,
  aVerifiedAccount,
  STRONG_PASSWORD,
  type TestAccount,
  WITH_ADMIN,
} from '../../support/factories/accounts';
import { becomesEverywhere, statusesOf } from '../../support/everywhere';
import { anAddress, bearer, post, visit } from '../../support/http';
import { mailsTo, newestCode } from '../../support/outbox';
import { eventually, type Service, startService } from '../../support/service';

const UNKNOWN = 'f'.repeat(24);

describe('Accounts, as shown to admins', () => {
  let service: Service;
  let admin: TestAccount;
  beforeAll(async () => {
    service = await startService({ env: { ...WITH_ADMIN, WEB_CONCURRENCY: '2' } });
    admin = await anAdmin(service);
  });
  afterAll(() => service.stop());

  type Method = 'get' | 'post' | 'put';
  const call = (method: Method, path: string, token: string, body?: object) =>
    request(service.url)
      [method](path)
      .set({ 'X-Forwarded-For': anAddress(), ...bearer(token) })
      .send(body);
  const asAdmin = (method: Method, path: string, body?: object) =>
    call(method, `/api/v1/admin/accounts${path}`, admin.accessToken, body);

  async function aLinkOf({ accessToken }: TestAccount): Promise<{ id: string; alias: string }> {
    const long_url = `https://example.com/${Math.random()}`;
    const answer = await call('post', '/api/v1/shorten', accessToken, { long_url });
    expect(answer.status).toBe(201);
    return answer.body as { id: string; alias: string };
  }

  async function actsOn({ userId }: TestAccount): Promise<string[]> {
    const path = `/api/v1/admin/trail?subject=${userId}`;
    const { body } = await call('get', path, admin.accessToken);
    return (body.items as { act: string }[]).map(({ act }) => act);
  }

  const login = ({ email }: TestAccount, password = STRONG_PASSWORD) =>
    post(service, '/auth/login', { email, password });

  it('have all their data', async () => {
    const user = await aVerifiedAccount(service);
    await aLinkOf(user);
    const key = await aKey(service, user, ['urls:read']);
    expect(key).toMatch(/^svc_/);
    const { status, body } = await asAdmin('get', `/${user.userId}`);
    expect(status).toBe(200);
    expect(body).toEqual({
      id: user.userId,
      email: user.email,
      email_verified: true,
      user_name: null,
      role: 'user',
      password_set: true,
      auth_providers: [],
      created_at: expect.stringMatching(/Z$/),
      last_sign_in_at: expect.stringMatching(/Z$/),
      links: 1,
      clicks: 0,
      imported_clicks: 0,
      keys: 1,
      sessions: expect.any(Number),
      suspended: null,
      deletes_at: null,
    });
    expect(body.sessions).toBeGreaterThan(0);
  });

  it('can be searched by address, status and role, and sorted', async () => {
    const few = await aVerifiedAccount(service, `few.sort-${Date.now()}@example.com`);
    const many = await aVerifiedAccount(service, few.email.replace('few', 'many'));
    const unverified = await anAccount(service, few.email.replace('few', 'none'));
    await aLinkOf(few);
    for (let i = 0; i < 3; i++) await aLinkOf(many);
    const part = encodeURIComponent(few.email.slice(3).toUpperCase());
    const found = async (query: string) => {
      const { status, body } = await asAdmin('get', `?search=${part}&${query}`);
      expect(status).toBe(200);
      return (body.items as { id: string }[]).map(({ id }) => id);
    };
    const [a, b, c] = [few.userId, many.userId, unverified.userId];
    expect(await found('')).toEqual([c, b, a]);
    expect(await found('sortOrder=ascending')).toEqual([a, b, c]);
    expect(await found('sortBy=links')).toEqual([b, a, c]);
    expect(await found('sortBy=links&pageSize=1&page=2')).toEqual([a]);
    expect(await found('status=unverified')).toEqual([c]);
    expect(await found('status=active')).toEqual([b, a]);
    expect(await found('role=admin')).toEqual([]);
    const { body } = await asAdmin('get', '?role=admin');
    expect(body).toMatchObject({ total: 1, items: [{ email: ADMIN_EMAIL }], hasNext: false });
    expect((await asAdmin('get', '?search=.*')).body.total).toBe(0);
  });

  it('are locked in every process while they are suspended, and unlocked afterwards', async () => {
    const user = await aVerifiedAccount(service);
    const key = await aKey(service, user, ['urls:read']);
    const { alias } = await aLinkOf(user);
    const withToken = () => call('get', '/api/v1/urls', user.accessToken);
    const withKey = () => call('get', '/api/v1/urls', key);
    const visiting = () => visit(service, alias);
    expect(await statusesOf(withToken)).toEqual([200]);
    expect(await statusesOf(visiting)).toEqual([302]);

    const suspended = await asAdmin('post', `/${user.userId}/suspend`, { reason: '  Spam  ' });
    expect(suspended.status).toBe(200);
    expect(suspended.body).toMatchObject({
      suspended: { reason: 'Spam', by: admin.userId, at: expect.stringMatching(/Z$/) },
      sessions: 0,
    });
    await becomesEverywhere(visiting, 410);
    await becomesEverywhere(withToken, 401);
    await becomesEverywhere(withKey, 401);
    expect((await post(service, '/auth/refresh').set('Cookie', user.cookies)).status).toBe(401);
    const right = await login(user);
    expect([right.status, right.body.code, right.body.hint]).toEqual([
      403,
      'forbidden',
      'suspended',
    ]);
    expect((await login(user, `${STRONG_PASSWORD}-x`)).status).toBe(401);
    await eventually(() => mailsTo(service, user.email).some((mail) => mail.includes('Spam')));
    const { body } = await asAdmin('get', '?status=suspended');
    expect((body.items as { id: string }[]).map(({ id }) => id)).toContain(user.userId);

    await asAdmin('post', `/${user.userId}/suspend`, { reason: 'Spam' });
    await asAdmin('post', `/${user.userId}/suspend`, { reason: 'Phishing' });
    expect(await actsOn(user)).toEqual(['account.suspend', 'account.suspend']);

    for (let i = 0; i < 2; i++) {
      const { status, body: opened } = await asAdmin('post', `/${user.userId}/unsuspend`);
      expect([status, opened.suspended]).toEqual([200, null]);
    }
    await becomesEverywhere(visiting, 302);
    expect(await statusesOf(withKey)).toEqual([200]);
    expect((await login(user)).status).toBe(200);
    expect((await post(service, '/auth/refresh').set('Cookie', user.cookies)).status).toBe(401);
    expect((await actsOn(user))[0]).toBe('account.unsuspend');
    expect(await actsOn(user)).toHaveLength(3);
  });

  it('can become admins and users again', async () => {
    const user = await aVerifiedAccount(service);
    const made = await asAdmin('put', `/${user.userId}/role`, { role: 'admin' });
    expect([made.status, made.body.role]).toEqual([200, 'admin']);
    expect((await call('get', '/api/v1/admin/trail', user.accessToken)).status).toBe(200);
    const taken = await asAdmin('put', `/${user.userId}/role`, { role: 'user' });
    expect([taken.status, taken.body.role]).toEqual([200, 'user']);
    expect((await call('get', '/api/v1/admin/trail', user.accessToken)).status).toBe(404);
    await asAdmin('put', `/${user.userId}/role`, { role: 'user' });
    expect(await actsOn(user)).toEqual(['account.role', 'account.role']);
  });

  it('can lose their sessions and get a password reset', async () => {
    const user = await aVerifiedAccount(service);
    const refresh = (cookies: string) => post(service, '/auth/refresh').set('Cookie', cookies);
    const ended = await asAdmin('post', `/${user.userId}/end-sessions`);
    expect([ended.status, ended.body.sessions]).toEqual([200, 0]);
    expect((await refresh(user.cookies)).status).toBe(401);
    await asAdmin('post', `/${user.userId}/end-sessions`);
    expect(await actsOn(user)).toEqual(['account.end_sessions']);

    expect((await login(user)).status).toBe(200);
    const reset = await asAdmin('post', `/${user.userId}/password-reset`);
    expect([reset.status, reset.body.sessions]).toEqual([200, 0]);
    const code = await newestCode(service, user.email, 2);
    const body = { email: user.email, code, password: `${STRONG_PASSWORD}-2` };
    expect((await post(service, '/auth/reset-password', body)).status).toBe(200);
    expect((await actsOn(user))[0]).toBe('account.password_reset');
  });

  it('reject invalid changes', async () => {
    const user = await aVerifiedAccount(service);
    const unverified = await anAccount(service);
    const withoutPassword = await anAccountWithoutPassword(service);
    const refusals: [Method, string, object | undefined, number][] = [
      ['get', '?status=gone', undefined, 422],
      ['get', '?role=owner', undefined, 422],
      ['get', '?sortBy=email', undefined, 422],
      ['get', '?sortOrder=up', undefined, 422],
      ['get', '?pageSize=101', undefined, 422],
      ['get', `?search=${'x'.repeat(501)}`, undefined, 422],
      ['get', '/nonsense', undefined, 400],
      ['get', `/${UNKNOWN}`, undefined, 404],
      ['post', `/${user.userId}/suspend`, {}, 422],
      ['post', `/${user.userId}/suspend`, { reason: '   ' }, 422],
      ['post', `/${user.userId}/suspend`, { reason: 'x'.repeat(501) }, 422],
      ['post', `/${admin.userId}/suspend`, { reason: 'Myself' }, 400],
      ['post', `/${UNKNOWN}/suspend`, { reason: 'Nobody' }, 404],
      ['post', `/${UNKNOWN}/unsuspend`, undefined, 404],
      ['put', `/${user.userId}/role`, { role: 'owner' }, 422],
      ['put', `/${unverified.userId}/role`, { role: 'admin' }, 400],
      ['put', `/${admin.userId}/role`, { role: 'user' }, 400],
      ['put', `/${UNKNOWN}/role`, { role: 'admin' }, 404],
      ['post', `/${UNKNOWN}/end-sessions`, undefined, 404],
      ['post', `/${UNKNOWN}/password-reset`, undefined, 404],
      ['post', `/${withoutPassword.userId}/password-reset`, undefined, 400],
    ];
    for (const [method, path, body, expected] of refusals) {
      const { status } = await asAdmin(method, path, body);
      expect([method, path, body, status]).toEqual([method, path, body, expected]);
    }
    expect(await actsOn(user)).toEqual([]);
  });
});

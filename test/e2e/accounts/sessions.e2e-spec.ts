import request from 'supertest';
import {
  aKey,
  anAccount,
  anAccountWithoutPassword,
  anEmail,
  aVerifiedAccount,
  STRONG_PASSWORD,
} from '../../support/factories/accounts';
import {
  expireSessions,
  linkProvider,
  removeAccount,
} from '../../support/factories/stored-account';
import { anAddress, bearer, cookiesOf, cookieValue, post } from '../../support/http';
import { Service, startService } from '../../support/service';

const CLEARED = (name: string) =>
  expect.stringMatching(new RegExp(`^${name}=; Max-Age=0; Path=/; .*HttpOnly; SameSite=Lax$`));

describe('Sessions', () => {
  let service: Service;
  beforeAll(async () => (service = await startService()));
  afterAll(() => service.stop());

  const login = (body: object) => post(service, '/auth/login', body);
  const refresh = (cookies: string) => post(service, '/auth/refresh').set('Cookie', cookies);
  const me = (headers: Record<string, string>) =>
    request(service.url)
      .get('/auth/me')
      .set({ 'X-Forwarded-For': anAddress(), ...headers });

  describe('sign-in', () => {
    it('accepts the password with the email in upper or lower case', async () => {
      const account = await anAccount(service);
      const answer = await login({
        email: ` ${account.email.toUpperCase()}`,
        password: STRONG_PASSWORD,
      });
      expect(answer.status).toBe(200);
      expect(answer.body).toEqual({
        access_token: expect.any(String),
        user: expect.objectContaining({ id: account.userId, email: account.email }),
      });
      expect((await refresh(cookiesOf(answer))).status).toBe(200);
    });

    it('returns the same response for an unknown email, a wrong password and a missing password', async () => {
      const { email, userId } = await anAccount(service);
      const without = await anAccountWithoutPassword(service);
      const answers = await Promise.all([
        login({ email: anEmail(), password: STRONG_PASSWORD }),
        login({ email, password: `${STRONG_PASSWORD}x` }),
        login({ email: without.email, password: STRONG_PASSWORD }),
      ]);
      for (const answer of answers) {
        expect(answer.status).toBe(401);
        expect(answer.body).toEqual({ error: expect.any(String), code: 'authentication_error' });
        expect(answer.body).toEqual(answers[0].body);
        expect(Object.keys(answer.headers).sort()).toEqual(Object.keys(answers[0].headers).sort());
      }
      expect(userId).toBeTruthy();
    });

    it('distinguishes passwords that differ only after the 72nd byte', async () => {
      const email = anEmail();
      const password = `Aa1!${'x'.repeat(100)}`;
      await post(service, '/auth/register', { email, password });
      expect((await login({ email, password: `${password}y` })).status).toBe(401);
      expect((await login({ email, password })).status).toBe(200);
    });

    it.each([
      [{ email: 'a@example.com' }],
      [{ email: 'a@example.com', password: '' }],
      [{ email: 'a@example.com', password: 'x'.repeat(256) }],
      [{ email: { $gt: '' }, password: 'x' }],
      [{ email: 'a@example.com', password: { $ne: null } }],
      [[]],
    ])('returns 422 for %j', async (body) => {
      expect((await login(body)).status).toBe(422);
    });
  });

  describe('profile', () => {
    it('accepts a bearer token, the cookie, and a key without a scope', async () => {
      const account = await aVerifiedAccount(service);
      const key = await aKey(service, account, ['stats:read']);
      const cookie = { Cookie: account.cookies };
      for (const headers of [bearer(account.accessToken), cookie, bearer(key)]) {
        const answer = await me(headers);
        expect(answer.status).toBe(200);
        expect(answer.body.user).toMatchObject({ email: account.email, email_verified: true });
      }
    });

    it('shows linked providers and the picture', async () => {
      const account = await anAccount(service);
      const linked = {
        provider: 'google',
        email: 'g@example.com',
        linked_at: new Date('2026-01-02T03:04:05.678Z'),
      };
      const picture = { url: 'https://img.example.com/a.png', source: 'google' };
      await linkProvider(service, account, linked, picture);
      const { user } = (await me(bearer(account.accessToken))).body;
      expect(user.auth_providers).toEqual([
        { provider: 'google', email: 'g@example.com', linked_at: '2026-01-02T03:04:05.678Z' },
      ]);
      expect(user.pfp).toEqual(picture);
    });

    it('returns 401 after the account is deleted', async () => {
      const account = await anAccount(service);
      await removeAccount(service, account);
      expect((await me(bearer(account.accessToken))).status).toBe(401);
      expect((await refresh(account.cookies)).status).toBe(401);
    });
  });

  describe('set-password', () => {
    const setPassword = (token: string, password: unknown) =>
      post(service, '/auth/set-password', { password }).set(bearer(token));

    it("sets an account's first password once", async () => {
      const account = await anAccountWithoutPassword(service);
      expect((await setPassword(account.accessToken, 'weakweak')).status).toBe(400);
      const answers = await Promise.all(
        ['Fir5t-one!', 'Sec0nd-one!'].map((p) => setPassword(account.accessToken, p)),
      );
      expect(answers.map((answer) => answer.status).sort()).toEqual([200, 400]);
      const won = answers[0]!.status === 200 ? 'Fir5t-one!' : 'Sec0nd-one!';
      expect((await login({ email: account.email, password: won })).status).toBe(200);
    });

    it('returns 400 for an account with a password, 422 for invalid fields, 401 without a credential', async () => {
      const { accessToken } = await anAccount(service);
      const taken = await setPassword(accessToken, 'An0ther-one!');
      expect([taken.status, taken.body.code]).toEqual([400, 'validation_error']);
      expect((await setPassword(accessToken, 'Sh0rt!')).status).toBe(422);
      expect((await post(service, '/auth/set-password', { password: 'x' })).status).toBe(401);
    });
  });

  describe('refresh', () => {
    it('replaces both tokens, and ends the session if the old token is sent again', async () => {
      const { cookies } = await anAccount(service);
      const first = await refresh(cookies);
      expect(first.status).toBe(200);
      expect(Object.keys(first.body)).toEqual(['access_token']);
      expect((await me(bearer(first.body.access_token))).status).toBe(200);
      const second = await refresh(cookiesOf(first));
      expect(second.status).toBe(200);
      const replay = await refresh(cookies);
      expect(replay.status).toBe(401);
      expect(replay.get('Set-Cookie')).toEqual([CLEARED('access_token'), CLEARED('refresh_token')]);
      expect((await refresh(cookiesOf(second))).status).toBe(401);
    });

    it('accepts one of twenty concurrent uses and then ends the session', async () => {
      const { cookies } = await anAccount(service);
      const answers = await Promise.all(Array.from({ length: 20 }, () => refresh(cookies)));
      const won = answers.filter((answer) => answer.status === 200);
      expect(won).toHaveLength(1);
      expect(answers.filter((answer) => answer.status === 401)).toHaveLength(19);
      expect((await refresh(cookiesOf(won[0]!))).status).toBe(401);
    });

    it('does not affect other sessions of the account', async () => {
      const account = await anAccount(service);
      const other = await login({ email: account.email, password: STRONG_PASSWORD });
      await refresh(account.cookies);
      await refresh(account.cookies);
      expect((await refresh(cookiesOf(other))).status).toBe(200);
    });

    it('returns 401 and clears the cookies for a missing, an invalid and an access token', async () => {
      const { cookies } = await anAccount(service);
      const access = cookieValue(cookies, 'access_token');
      for (const cookie of [
        'a=b',
        'refresh_token=',
        'refresh_token=x.y.z',
        `refresh_token=${access}`,
      ]) {
        const answer = await refresh(cookie);
        expect([answer.status, answer.body.code]).toEqual([401, 'authentication_error']);
        expect(answer.get('Set-Cookie')).toHaveLength(2);
      }
    });

    it('returns 401 after the session has expired in the database', async () => {
      const account = await anAccount(service);
      await expireSessions(service, account);
      expect((await refresh(account.cookies)).status).toBe(401);
    });

    it("rejects a foreign origin and accepts the service's own", async () => {
      const { cookies } = await anAccount(service);
      const foreign = await refresh(cookies).set('Origin', 'https://evil.example');
      expect([foreign.status, foreign.body.code]).toEqual([403, 'forbidden']);
      const ours = await refresh(cookies).set('Origin', `http://localhost:${service.port}`);
      expect(ours.status).toBe(200);
    });
  });

  describe('sign-out', () => {
    it("ends the refresh cookie's session and clears both cookies", async () => {
      const { cookies } = await anAccount(service);
      const answer = await post(service, '/auth/logout').set('Cookie', cookies);
      expect([answer.status, answer.body]).toEqual([200, { success: true }]);
      expect(answer.get('Set-Cookie')).toEqual([CLEARED('access_token'), CLEARED('refresh_token')]);
      expect((await refresh(cookies)).status).toBe(401);
    });

    it.each([
      {},
      { Cookie: 'refresh_token=%00;;;=' },
      bearer('rubbish'),
      { Origin: 'https://e.example' },
    ])('returns 200 for %j', async (headers) => {
      const answer = await post(service, '/auth/logout').set(headers);
      expect([answer.status, answer.body]).toEqual([200, { success: true }]);
    });

    it('returns 200 for a body that is not JSON', async () => {
      const answer = await request(service.url)
        .post('/auth/logout')
        .set({ 'Content-Type': 'application/json', 'X-Forwarded-For': anAddress() })
        .send('{"');
      expect(answer.status).toBe(200);
    });
  });
});

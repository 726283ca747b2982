import { type Connection, Types } from 'mongoose';
import request from 'supertest';
import {
  aKey,
  anAccount,
  anAccountWithoutPassword,
  anEmail,
  aVerifiedAccount,
  STRONG_PASSWORD,
  type TestAccount,
} from '../../support/factories/accounts';
import { startWithDatabase } from '../../support/database';
import { anAddress, bearer, claimsOf, cookiesOf, cookieValue, post } from '../../support/http';
import { mailsTo } from '../../support/outbox';
import { eventually, type Service } from '../../support/service';

const ANDROID =
  'Mozilla/5.0 (Linux; Android 14; Pixel 8) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/120.0.0.0 Mobile Safari/537.36';
const LONDON = '81.2.69.142';
const NEXT = 'Difference-Engine-2';

interface ListedSession {
  id: string;
  created_at: string;
  last_seen_at: string;
  browser: string | null;
  os: string | null;
  country: string | null;
  current: boolean;
}

describe("A session's actions on its own account", () => {
  let service: Service;
  let database: Connection;
  let stop: () => Promise<void>;
  beforeAll(async () => ({ service, database, stop } = await startWithDatabase()));
  afterAll(() => stop());

  type Method = 'get' | 'post' | 'patch' | 'delete';
  const call = (method: Method, path: string, token: string, body?: object) => {
    const asked = request(service.url)
      [method](path)
      .set({ 'X-Forwarded-For': anAddress(), ...bearer(token) });
    return body === undefined ? asked : asked.send(body);
  };
  const refresh = (cookies: string) => post(service, '/auth/refresh').set('Cookie', cookies);
  const login = (email: string, headers: Record<string, string> = {}, password = STRONG_PASSWORD) =>
    post(service, '/auth/login', { email, password }).set(headers);
  const listed = async (token: string): Promise<ListedSession[]> => {
    const answer = await call('get', '/auth/sessions', token);
    expect(answer.status).toBe(200);
    expect(Object.keys(answer.body)).toEqual(['sessions']);
    return answer.body.sessions as ListedSession[];
  };
  const liveCount = ({ userId }: TestAccount) =>
    database.collection('sessions').countDocuments({ user: new Types.ObjectId(userId) });

  describe('PATCH /auth/me', () => {
    const rename = (token: string, body: object) => call('patch', '/auth/me', token, body);

    it('sets and removes the name, and changes nothing else', async () => {
      const { accessToken, email } = await anAccount(service);
      const before = (await call('get', '/auth/me', accessToken)).body as { user: object };
      const named = await rename(accessToken, { user_name: 'Ada', email: 'eve@example.com' });
      expect([named.status, named.body]).toEqual([
        200,
        { user: { ...before.user, user_name: 'Ada', email } },
      ]);
      expect((await rename(accessToken, {})).body.user.user_name).toBe('Ada');
      const removed = await rename(accessToken, { user_name: null });
      expect(removed.body).toEqual({ user: { ...before.user, user_name: null } });
      expect((await call('get', '/auth/me', accessToken)).body).toEqual(removed.body);
    });

    it.each(['', 'x'.repeat(256), 5, ['Ada'], { $set: 'Ada' }])(
      'returns 422 for %j',
      async (name) => {
        const { accessToken } = await anAccount(service);
        const answer = await rename(accessToken, { user_name: name });
        expect([answer.status, answer.body.field]).toEqual([422, 'user_name']);
      },
    );
  });

  describe('POST /auth/change-password', () => {
    const change = (token: string, current: unknown, password: unknown = NEXT) =>
      call('post', '/auth/change-password', token, { current_password: current, password });

    it('ends the other sessions, returns new tokens for this session and notifies the owner', async () => {
      const account = await aVerifiedAccount(service);
      const other = await login(account.email);
      const answer = await change(account.accessToken, STRONG_PASSWORD);
      expect([answer.status, Object.keys(answer.body)]).toEqual([200, ['success', 'message']]);
      const cookies = cookiesOf(answer);
      const token = cookieValue(cookies, 'access_token');
      expect(claimsOf(token)).toMatchObject({
        sid: claimsOf(account.accessToken).sid,
        email_verified: true,
        amr: ['pwd'],
      });
      expect(await listed(token)).toEqual([expect.objectContaining({ current: true })]);
      expect((await refresh(cookiesOf(other))).status).toBe(401);
      const replayed = other.body as { access_token: string };
      expect((await call('get', '/auth/sessions', replayed.access_token)).status).toBe(401);
      expect((await refresh(cookies)).status).toBe(200);
      expect((await login(account.email)).status).toBe(401);
      expect((await login(account.email, {}, NEXT)).status).toBe(200);
      await eventually(() =>
        mailsTo(service, account.email).some((mail) => mail.includes('Your password was changed')),
      );
    });

    it('keeps the browser known, and invalidates its earlier tokens', async () => {
      const account = await anAccount(service);
      const answer = await change(account.accessToken, STRONG_PASSWORD);
      expect((await refresh(account.cookies)).status).toBe(401);
      expect((await refresh(cookiesOf(answer))).status).toBe(401);
    });

    it("returns 401 for a wrong password, which counts towards the account's limit", async () => {
      const { accessToken, email } = await anAccount(service);
      const wrong = await change(accessToken, 'Wr0ng-Horse');
      expect([wrong.status, wrong.body]).toEqual([
        401,
        {
          error: expect.any(String),
          code: 'authentication_error',
          field: 'current_password',
        },
      ]);
      expect(wrong.get('Set-Cookie')).toBeUndefined();
      for (let i = 0; i < 29; i++) await login(email, {}, 'Wr0ng-Horse');
      const refused = await change(accessToken, STRONG_PASSWORD);
      expect([refused.status, refused.body.code]).toEqual([429, 'rate_limit_exceeded']);
    });

    it('returns 400 for a weak password and for an account without a password', async () => {
      const { accessToken } = await anAccount(service);
      const weak = await change(accessToken, STRONG_PASSWORD, 'all-lower-case');
      expect([weak.status, weak.body.field]).toEqual([400, 'password']);
      expect(weak.body.details.missing_requirements).toContain('a digit');
      const without = await anAccountWithoutPassword(service);
      const none = await change(without.accessToken, STRONG_PASSWORD);
      expect([none.status, none.body.code, none.body.field]).toEqual([
        400,
        'validation_error',
        'current_password',
      ]);
    });

    it.each([
      [undefined, NEXT],
      ['', NEXT],
      [STRONG_PASSWORD, 'Sh0rt!'],
      [{ $ne: '' }, NEXT],
    ])('returns 422 for %j and %j', async (current, password) => {
      const { accessToken } = await anAccount(service);
      expect((await change(accessToken, current, password)).status).toBe(422);
    });

    it('accepts one of two concurrent requests', async () => {
      const { accessToken, email } = await anAccount(service);
      const passwords = ['Fir5t-one!', 'Sec0nd-one!'];
      const answers = await Promise.all(
        passwords.map((password) => change(accessToken, STRONG_PASSWORD, password)),
      );
      const statuses = answers.map(({ status }) => status);
      expect([...statuses].sort()).toEqual([200, 401]);
      const won = passwords[statuses.indexOf(200)];
      expect((await login(email, {}, won)).status).toBe(200);
    });
  });

  describe('the sessions of an account', () => {
    it('are listed with browser, system and country, and the current one is marked', async () => {
      const account = await anAccount(service);
      const headers = { 'User-Agent': ANDROID, 'X-Forwarded-For': LONDON };
      const phone = await login(account.email, headers);
      const sessions = await listed(account.accessToken);
      expect(sessions).toHaveLength(2);
      const [newest, oldest] = sessions;
      expect(newest).toEqual({
        id: claimsOf((phone.body as { access_token: string }).access_token).sid,
        created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
        last_seen_at: expect.any(String),
        browser: 'Mobile Chrome',
        os: 'Android',
        country: 'United Kingdom',
        current: false,
      });
      expect(oldest).toMatchObject({ browser: null, os: null, current: true });
      const stored = await database
        .collection('sessions')
        .findOne({ _id: new Types.ObjectId(newest?.id) });
      expect(JSON.stringify(stored)).not.toContain(LONDON);
    });

    it('have a new last-seen time after a refresh from any address', async () => {
      const account = await anAccount(service);
      const [before] = await listed(account.accessToken);
      const answer = await refresh(account.cookies).set({
        'User-Agent': ANDROID,
        'X-Forwarded-For': LONDON,
      });
      const [after] = await listed(answer.body.access_token as string);
      expect(after).toMatchObject({ id: before?.id, created_at: before?.created_at });
      expect(after).toMatchObject({ os: 'Android', country: 'United Kingdom' });
      expect(Date.parse(after?.last_seen_at ?? '')).toBeGreaterThan(
        Date.parse(before?.last_seen_at ?? ''),
      );
    });

    it('are listed without a browser if an earlier release created them', async () => {
      const account = await anAccount(service);
      await database
        .collection('sessions')
        .updateMany(
          { user: new Types.ObjectId(account.userId) },
          { $unset: { browser: '', os: '', country: '' } },
        );
      expect(await listed(account.accessToken)).toEqual([
        expect.objectContaining({ browser: null, os: null, country: null }),
      ]);
    });

    it('can be ended one by one by any client of the account', async () => {
      const account = await anAccount(service);
      const phone = await login(account.email);
      const [other] = (await listed(account.accessToken)).filter(({ current }) => !current);
      const end = (id: string) => call('delete', `/auth/sessions/${id}`, account.accessToken);
      const ended = await end((other?.id ?? '').toUpperCase());
      expect([ended.status, ended.body]).toEqual([200, { success: true }]);
      expect(ended.get('Set-Cookie')).toBeUndefined();
      expect((await refresh(cookiesOf(phone))).status).toBe(401);
      expect((await end(other?.id ?? '')).status).toBe(404);
      expect((await end('f'.repeat(24))).status).toBe(404);
      expect([(await end('mine')).status, (await end('mine')).body.field]).toEqual([400, 'id']);
    });

    it('are unknown to other accounts', async () => {
      const [account, stranger] = [await anAccount(service), await anAccount(service)];
      const [theirs] = await listed(stranger.accessToken);
      const answer = await call('delete', `/auth/sessions/${theirs?.id}`, account.accessToken);
      expect([answer.status, answer.body.code]).toEqual([404, 'not_found']);
      expect((await refresh(stranger.cookies)).status).toBe(200);
    });

    it('end immediately, except for the current one', async () => {
      const account = await anAccount(service);
      const others = await Promise.all([login(account.email), login(account.email)]);
      const answer = await call('delete', '/auth/sessions', account.accessToken);
      expect([answer.status, answer.body]).toEqual([200, { success: true }]);
      for (const other of others) expect((await refresh(cookiesOf(other))).status).toBe(401);
      expect((await refresh(account.cookies)).status).toBe(200);
    });

    it('end like a sign-out if the current session is chosen', async () => {
      const account = await anAccount(service);
      const [own] = await listed(account.accessToken);
      const answer = await call('delete', `/auth/sessions/${own?.id}`, account.accessToken);
      expect(answer.status).toBe(200);
      expect(answer.get('Set-Cookie')).toEqual([
        expect.stringMatching(/^access_token=; Max-Age=0/),
        expect.stringMatching(/^refresh_token=; Max-Age=0/),
      ]);
      expect((await refresh(account.cookies)).status).toBe(401);
    });

    it('do not accumulate when a browser signs in again or verifies its address', async () => {
      const account = await anAccount(service);
      const again = await login(account.email, { Cookie: account.cookies });
      expect(await liveCount(account)).toBe(1);
      expect((await refresh(cookiesOf(again))).status).toBe(200);
      const elsewhere = await login(account.email);
      expect(elsewhere.status).toBe(200);
      expect(await liveCount(account)).toBe(2);
    });

    it('cannot be read with API keys', async () => {
      const account = await aVerifiedAccount(service);
      const key = await aKey(service, account, ['admin:all']);
      const answers = await Promise.all([
        call('get', '/auth/sessions', key),
        call('delete', '/auth/sessions', key),
        call('patch', '/auth/me', key, { user_name: 'Eve' }),
        call('post', '/auth/change-password', key, {
          current_password: STRONG_PASSWORD,
          password: NEXT,
        }),
      ]);
      expect(answers.map(({ status, body }) => [status, body.code as string])).toEqual(
        answers.map(() => [403, 'forbidden']),
      );
    });
  });

  it('cannot be read without a credential', async () => {
    expect((await request(service.url).get('/auth/sessions')).status).toBe(401);
    const email = anEmail();
    expect((await post(service, '/auth/change-password', { email })).status).toBe(401);
  });
});

import request from 'supertest';
import {
  aKey,
  anAccountWithoutPassword,
  aVerifiedAccount,
  STRONG_PASSWORD,
  type TestAccount,
} from '../../support/factories/accounts';
import { anAddress, bearer, post, shorten, visit } from '../../support/http';
import { mailsTo, newestCode } from '../../support/outbox';
import { eventually, type Service, startService } from '../../support/service';

const DAYS_7 = 7 * 24 * 60 * 60;

describe('The deletion of an account by its owner', () => {
  let service: Service;
  beforeAll(async () => (service = await startService()));
  afterAll(() => service.stop());

  type Method = 'get' | 'post' | 'patch' | 'delete';
  const call = (method: Method, path: string, token: string, body?: object) => {
    const asked = request(service.url)
      [method](path)
      .set({ 'X-Forwarded-For': anAddress(), ...bearer(token) });
    return body === undefined ? asked : asked.send(body);
  };
  const leave = ({ accessToken }: TestAccount, body: object) =>
    call('delete', '/auth/me', accessToken, body);
  const aLink = async ({ accessToken }: TestAccount): Promise<string> => {
    const { body } = await shorten(service, { long_url: 'https://example.com/' }).set(
      bearer(accessToken),
    );
    return body.alias as string;
  };
  const hasMail = (email: string, subject: string) =>
    eventually(subject, () =>
      mailsTo(service, email).some((mail) => mail.includes(`Subject: ${subject}`)),
    );
  /** Registration sends the first code. */
  const aCode = async ({ accessToken, email }: TestAccount, count = 2): Promise<string> => {
    const sent = await call('post', '/auth/me/code', accessToken, { purpose: 'deletion' });
    expect(sent.body).toMatchObject({ success: true, expires_in: 600 });
    return newestCode(service, email, count);
  };

  it('allows the account to be read and restored for seven days', async () => {
    const account = await aVerifiedAccount(service);
    const { accessToken, email, cookies } = account;
    const key = await aKey(service, account, ['urls:read']);
    const alias = await aLink(account);
    const { status, body } = await leave(account, { password: STRONG_PASSWORD });
    expect(status).toBe(202);
    expect(Math.abs((body.deletes_at as number) - Date.now() / 1000 - DAYS_7)).toBeLessThan(60);
    await hasMail(email, 'Your account will be deleted');

    expect((await call('get', '/api/v1/urls', key)).status).toBe(401);
    expect((await visit(service, alias)).status).toBe(302);
    const me = await call('get', '/auth/me', accessToken);
    expect(me.body.user.deletes_at).toBe(body.deletes_at);
    const login = await post(service, '/auth/login', { email, password: STRONG_PASSWORD });
    expect(login.status).toBe(200);
    const register = await post(service, '/auth/register', { email, password: STRONG_PASSWORD });
    expect(register.status).toBe(409);
    for (const [method, path, input] of [
      ['post', '/api/v1/shorten', { long_url: 'https://example.com/' }],
      ['patch', '/auth/me', { user_name: 'New' }],
      ['post', '/api/v1/keys', { name: 'new', scopes: ['urls:read'] }],
      ['post', '/auth/change-password', { current_password: 'x', password: 'y' }],
    ] as const) {
      const refused = await call(method, path, accessToken, input);
      const { code, hint } = refused.body;
      expect([path, refused.status, code, hint]).toEqual([path, 403, 'forbidden', 'restore']);
    }
    const form = await request(service.url)
      .post('/')
      .set({ 'X-Forwarded-For': anAddress(), Cookie: cookies, Accept: 'text/html' })
      .type('form')
      .send({ url: 'https://example.com/' });
    expect(form.status).toBe(403);
    expect(form.text).toContain('restore it');

    const restored = await call('post', '/auth/me/restore', accessToken);
    expect([restored.status, restored.body.user.deletes_at]).toEqual([200, null]);
    await hasMail(email, 'Your account stays');
    expect((await call('get', '/api/v1/urls', key)).status).toBe(200);
    const again = await call('post', '/auth/me/restore', accessToken);
    expect([again.status, again.body.code]).toEqual([409, 'conflict']);
  });

  it('closes the links on request, without changing the date', async () => {
    const account = await aVerifiedAccount(service);
    const alias = await aLink(account);
    const first = await leave(account, { password: STRONG_PASSWORD, close_links: true });
    expect((await visit(service, alias)).status).toBe(410);
    const { accessToken } = account;
    const second = await call('post', '/auth/me/delete', accessToken, {
      password: STRONG_PASSWORD,
    });
    expect(second.body).toEqual(first.body);
    expect((await visit(service, alias)).status).toBe(302);
    await leave(account, { password: STRONG_PASSWORD, close_links: true });
    await call('post', '/auth/me/restore', accessToken);
    expect((await visit(service, alias)).status).toBe(302);
  });

  it('begins immediately with a code, and sends an email at the end', async () => {
    const account = await aVerifiedAccount(service);
    const alias = await aLink(account);
    const code = await aCode(account);
    const gone = await leave(account, { code, now: true });
    expect(gone.status).toBe(202);
    expect(gone.get('Set-Cookie')?.filter((line) => line.includes('Max-Age=0'))).toHaveLength(2);
    expect((await call('get', '/auth/me', account.accessToken)).status).toBe(401);
    await hasMail(account.email, 'Your account was deleted');
    expect((await visit(service, alias)).status).toBe(404);
    const { email } = account;
    const anew = await post(service, '/auth/register', { email, password: STRONG_PASSWORD });
    expect(anew.status).toBe(201);
  });

  it('requires that both the password and the code are correct if both are sent', async () => {
    const account = await aVerifiedAccount(service);
    // The limit is five requests a minute.
    const another = await aVerifiedAccount(service);
    const code = await aCode(account);
    const wrong = code === '000000' ? '000001' : '000000';
    for (const [owner, body, status, field] of [
      [another, {}, 422, 'password'],
      [another, { password: '' }, 422, 'password'],
      [another, { password: STRONG_PASSWORD, code: '12345' }, 422, 'code'],
      [another, { password: STRONG_PASSWORD, now: 'yes' }, 422, 'now'],
      [another, { password: STRONG_PASSWORD, close_links: 1 }, 422, 'close_links'],
      [account, { now: true }, 400, 'code'],
      [account, { now: true, password: STRONG_PASSWORD }, 400, 'code'],
      [account, { password: 'wrong', code }, 401, 'password'],
      [account, { password: STRONG_PASSWORD, code: wrong }, 400, 'code'],
    ] as const) {
      const refused = await leave(owner, body);
      expect([body, refused.status, refused.body.field]).toEqual([body, status, field]);
    }
  });

  it('requires a code for an account without a password, and a session', async () => {
    const account = await anAccountWithoutPassword(service);
    const refused = await leave(account, { password: STRONG_PASSWORD });
    expect([refused.status, refused.body.field]).toEqual([400, 'password']);
    const unknown = await call('post', '/auth/me/code', account.accessToken, { purpose: 'reset' });
    expect(unknown.status).toBe(422);
    const code = await aCode(account);
    expect((await leave(account, { code })).status).toBe(202);
    const used = await leave(account, { code });
    expect([used.status, used.body.field]).toEqual([400, 'code']);
    const other = await aVerifiedAccount(service);
    const key = await aKey(service, other, ['admin:all']);
    expect((await leave({ ...other, accessToken: key }, { code })).status).toBe(403);
    expect((await request(service.url).delete('/auth/me').send({ code })).status).toBe(401);
  });
});

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
import { anAddress, bearer, cookiesOf, post } from '../../support/http';
import { mailsTo, newestCode } from '../../support/outbox';
import { eventually, type Service, startService } from '../../support/service';

describe('A change of the email address', () => {
  let service: Service;
  beforeAll(async () => (service = await startService()));
  afterAll(() => service.stop());

  const call = (path: string, token: string, body: object) =>
    post(service, path, body).set(bearer(token));
  const change = ({ accessToken }: TestAccount, email: string, proof: object = PASSWORD) =>
    call('/auth/me/email', accessToken, { email, ...proof });
  const confirm = ({ accessToken }: TestAccount, code: string) =>
    call('/auth/me/email/confirm', accessToken, { code });
  const me = (token: string) => request(service.url).get('/auth/me').set(bearer(token));
  const login = (email: string) =>
    post(service, '/auth/login', { email, password: STRONG_PASSWORD });
  const mailWith = async (email: string, subject: string): Promise<string> => {
    const found = () =>
      mailsTo(service, email).find((mail) => mail.includes(`Subject: ${subject}`));
    await eventually(subject, () => found() !== undefined);
    return found() ?? '';
  };

  async function changed(account: TestAccount): Promise<TestAccount> {
    const email = anEmail();
    expect((await change(account, email)).status).toBe(202);
    const answer = await confirm(account, await newestCode(service, email));
    expect(answer.body).toMatchObject({ user: { email, email_verified: true } });
    const accessToken = answer.body.access_token as string;
    return { ...account, email, accessToken, cookies: cookiesOf(answer) };
  }
  const undoToken = async (email: string): Promise<string> => {
    // Quoted-printable encoding breaks long lines and encodes the equals sign.
    const mail = (await mailWith(email, 'Your email address was changed')).replace(/=\r\n/g, '');
    return /undo-email\?token=(?:3D)?([\w-]{43})/.exec(mail)?.[1] ?? '';
  };
  const undo = (token: string) =>
    request(service.url)
      .post('/login/undo-email')
      .set({ 'X-Forwarded-For': anAddress(), Accept: 'text/html' })
      .type('form')
      .redirects(0)
      .send({ token });

  it('ends other sessions, reserves the old address and sends it a notice', async () => {
    const account = await aVerifiedAccount(service);
    const other = await login(account.email);
    const key = await aKey(service, account, ['urls:read']);
    const now = await changed(account);
    expect((await me(now.accessToken)).body.user.email).toBe(now.email);
    const refreshed = await post(service, '/auth/refresh').set('Cookie', cookiesOf(other));
    expect(refreshed.status).toBe(401);
    expect((await me(key)).status).toBe(200);
    expect((await login(account.email)).status).toBe(401);
    expect((await login(now.email)).status).toBe(200);
    const { email } = account;
    const register = await post(service, '/auth/register', { email, password: STRONG_PASSWORD });
    expect(register.status).toBe(409);
    expect(await undoToken(email)).toHaveLength(43);
    const gone = await request(service.url)
      .delete('/auth/me')
      .set({ 'X-Forwarded-For': anAddress(), ...bearer(now.accessToken) })
      .send({ code: '123456', now: true });
    expect([gone.status, gone.body.field]).toEqual([400, 'now']);
  });

  it('can be undone once, which ends all other sessions', async () => {
    const account = await aVerifiedAccount(service);
    const before = await aKey(service, account, ['urls:read']);
    const second = await changed(account);
    const after = await aKey(service, second, ['urls:read']);
    const third = await changed(second);
    const token = await undoToken(account.email);
    const page = await request(service.url).get(`/login/undo-email?token=${token}`);
    expect(page.status).toBe(200);
    expect(page.text).toContain('Undo the change');
    expect((await me(third.accessToken)).body.user.email).toBe(third.email);

    const undone = await undo(token);
    const next = '/login/reset-password?done=email-restored';
    expect([undone.status, undone.headers.location]).toEqual([303, next]);
    const { text } = await request(service.url).get(next).set('Accept', 'text/html');
    expect(text).toContain('Your account has its previous email address again');
    expect((await login(account.email)).status).toBe(401);
    const refreshed = await post(service, '/auth/refresh').set('Cookie', third.cookies);
    expect(refreshed.status).toBe(401);
    expect([(await me(before)).status, (await me(after)).status]).toEqual([200, 401]);
    await mailWith(third.email, 'Your email address was removed');
    const code = await newestCode(service, account.email, 2);
    const reset = { email: account.email, code, password: 'N3w-password!' };
    expect((await post(service, '/auth/reset-password', reset)).status).toBe(200);
    expect((await undo(token)).status).toBe(400);
    expect((await undo(await undoToken(second.email))).status).toBe(400);
    // The addresses of later changes are free.
    await anAccount(service, third.email);
    await anAccount(service, second.email);
  });

  it("reveals no other account, and warns that account's owner once a day", async () => {
    const [account, owner] = [await aVerifiedAccount(service), await aVerifiedAccount(service)];
    const [taken, free] = [await change(account, owner.email), await change(account, anEmail())];
    expect([taken.status, taken.body]).toEqual([202, free.body]);
    await mailWith(owner.email, 'Another account tried to use your email address');
    await change(account, owner.email);
    const mine = await change(await aVerifiedAccount(service), owner.email);
    expect(mine.status).toBe(202);
    await eventually('no second warning', () => {
      const warnings = mailsTo(service, owner.email).filter((mail) =>
        mail.includes('tried to use'),
      );
      return warnings.length === 1;
    });
  });

  it('succeeds only for the first of two accounts that confirm the same address', async () => {
    const [first, second] = [await aVerifiedAccount(service), await aVerifiedAccount(service)];
    const email = anEmail();
    await change(first, email);
    const code = await newestCode(service, email);
    await change(second, email);
    const other = await newestCode(service, email, 2);
    expect((await confirm(first, code)).status).toBe(200);
    expect((await confirm(second, other)).status).toBe(409);
  });

  it('accepts only the code for the latest address, and only once', async () => {
    const account = await aVerifiedAccount(service);
    const [earlier, latest] = [anEmail(), anEmail()];
    await change(account, earlier);
    const old = await newestCode(service, earlier);
    await change(account, latest);
    const code = await newestCode(service, latest);
    if (old !== code) expect((await confirm(account, old)).body.field).toBe('code');
    const done = await confirm(account, code);
    expect(done.body.user.email).toBe(latest);
    const again = await confirm(
      { ...account, accessToken: done.body.access_token as string },
      code,
    );
    expect([again.status, again.body.field]).toEqual([400, 'code']);
  });

  it('requires a password or code, and a different address', async () => {
    const account = await aVerifiedAccount(service);
    for (const [email, proof, status, field] of [
      [account.email, PASSWORD, 400, 'email'],
      ['no address', PASSWORD, 422, 'email'],
      [anEmail(), {}, 422, 'password'],
    ] as const) {
      const refused = await change(account, email, proof);
      expect([refused.status, refused.body.field]).toEqual([status, field]);
    }
    const other = await anAccountWithoutPassword(service);
    expect((await change(other, anEmail())).body.field).toBe('password');
    await call('/auth/me/code', other.accessToken, { purpose: 'email' });
    const code = await newestCode(service, other.email, 2);
    const email = anEmail();
    expect((await change(other, email, { code })).status).toBe(202);
    // The account was not verified, so that its old address is free at once.
    const done = await confirm(other, await newestCode(service, email));
    expect(done.status).toBe(200);
    await anAccount(service, other.email);
  });
});

const PASSWORD = { password: STRONG_PASSWORD };

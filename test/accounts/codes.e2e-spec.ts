import {
  anAccount,
  anEmail,
  aVerifiedAccount,
  bearer,
  claimsOf,
  cookiesOf,
  mailsTo,
  newestCode,
  post,
  STRONG_PASSWORD,
  TestAccount,
} from '../support/accounts';
import { databaseOf } from '../support/database';
import { eventually } from '../support/eventually';
import { Service, startService } from '../support/service';

const other = (code: string) => String((Number(code) + 1) % 1_000_000).padStart(6, '0');

describe('One-time codes', () => {
  let service: Service;
  beforeAll(async () => (service = await startService()));
  afterAll(() => service.stop());

  const send = (account: TestAccount) =>
    post(service, '/auth/send-verification').set(bearer(account.accessToken));
  const verify = (account: TestAccount, code: unknown) =>
    post(service, '/auth/verify-email', { code }).set(bearer(account.accessToken));
  const request = (email: unknown) => post(service, '/auth/request-password-reset', { email });
  const reset = (email: string, code: string, password = 'N3w-password!') =>
    post(service, '/auth/reset-password', { email, code, password });
  const refusal = { code: 'validation_error', field: 'code', error: expect.any(String) };

  async function expire(id: string): Promise<void> {
    const database = await databaseOf(service);
    const filter = { _id: id as never };
    await database.collection('codes').updateOne(filter, { $set: { expires_at: new Date() } });
    await database.close();
  }

  describe('verify-email', () => {
    it('verifies, issues a pair that says so and mails a welcome', async () => {
      const account = await anAccount(service);
      const answer = await verify(account, await newestCode(service, account.email));
      expect(answer.status).toBe(200);
      expect(answer.body).toEqual({
        success: true,
        message: expect.any(String),
        email_verified: true,
        access_token: expect.any(String),
      });
      const claims = claimsOf(answer.body.access_token as string);
      expect(claims).toMatchObject({ email_verified: true, sub: account.userId });
      const refreshed = await post(service, '/auth/refresh').set('Cookie', cookiesOf(answer));
      expect(refreshed.status).toBe(200);
      await eventually(() =>
        mailsTo(service, account.email).some((mail) => mail.includes('Subject: Welcome')),
      );
    });

    it('lets one of ten concurrent uses through', async () => {
      const account = await anAccount(service);
      const code = await newestCode(service, account.email);
      const answers = await Promise.all(Array.from({ length: 10 }, () => verify(account, code)));
      const statuses = answers.map((answer) => answer.status).sort();
      expect(statuses).toEqual([200, ...Array.from({ length: 9 }, () => 400)]);
    });

    it('is 400 for a used code and for an account that is verified already', async () => {
      const account = await anAccount(service);
      const code = await newestCode(service, account.email);
      expect((await verify(account, code)).status).toBe(200);
      const again = await verify(account, code);
      expect([again.status, again.body]).toEqual([400, refusal]);
    });

    it('kills a code after five wrong tries, not before', async () => {
      const [four, five] = [await anAccount(service), await anAccount(service)];
      for (const [account, tries, status] of [
        [four, 4, 200],
        [five, 5, 400],
      ] as const) {
        const code = await newestCode(service, account.email);
        const wrong = await Promise.all(
          Array.from({ length: tries }, () => verify(account, other(code))),
        );
        for (const answer of wrong) expect([answer.status, answer.body]).toEqual([400, refusal]);
        expect((await verify(account, code)).status).toBe(status);
      }
    });

    it('takes the newest code only', async () => {
      const account = await anAccount(service);
      const first = await newestCode(service, account.email);
      const sent = await send(account);
      expect(sent.body).toEqual({ success: true, message: expect.any(String), expires_in: 600 });
      const second = await newestCode(service, account.email, 2);
      if (first !== second) expect((await verify(account, first)).status).toBe(400);
      expect((await verify(account, second)).status).toBe(200);
    });

    it('is 400 once the code has expired', async () => {
      const account = await anAccount(service);
      const code = await newestCode(service, account.email);
      await expire(`verification:${account.userId}`);
      expect((await verify(account, code)).status).toBe(400);
    });

    it.each(['12345', '1234567', '12345a', '１２３４５６', ' 12345', 123456, null, undefined])(
      'is 422 for the code %j',
      async (code) => {
        const account = await anAccount(service);
        const answer = await verify(account, code);
        expect([answer.status, answer.body.field]).toEqual([422, 'code']);
      },
    );

    it('is 401 without a credential', async () => {
      expect((await post(service, '/auth/verify-email', { code: '123456' })).status).toBe(401);
      expect((await post(service, '/auth/send-verification')).status).toBe(401);
    });
  });

  describe('send-verification', () => {
    it('sends nothing to a verified account', async () => {
      const account = await aVerifiedAccount(service);
      const before = mailsTo(service, account.email).length;
      const answer = await send(account);
      expect(answer.body).toMatchObject({ success: true, expires_in: 0 });
      const codes = mailsTo(service, account.email).filter((mail) => /^\d{6}\r$/m.test(mail));
      expect(codes).toHaveLength(1);
      expect(before).toBeGreaterThan(0);
    });

    it('works three times an hour; the mail of the registration does not count', async () => {
      const account = await anAccount(service);
      const statuses: number[] = [];
      for (let i = 0; i < 4; i++) statuses.push((await send(account)).status);
      expect(statuses).toEqual([200, 200, 200, 429]);
    });
  });

  describe('password reset', () => {
    it('sets the password, uses the code up and ends all sessions', async () => {
      const { email, cookies } = await anAccount(service);
      await request(email);
      const code = await newestCode(service, email, 2);
      const answer = await reset(email, code);
      expect([answer.status, answer.body]).toEqual([
        200,
        { success: true, message: expect.any(String) },
      ]);
      expect((await post(service, '/auth/refresh').set('Cookie', cookies)).status).toBe(401);
      const login = (password: string) => post(service, '/auth/login', { email, password });
      expect((await login(STRONG_PASSWORD)).status).toBe(401);
      expect((await login('N3w-password!')).status).toBe(200);
      const again = await reset(email, code);
      expect([again.status, again.body]).toEqual([400, refusal]);
    });

    it('lets one of five concurrent uses through', async () => {
      const { email } = await anAccount(service);
      await request(email);
      const code = await newestCode(service, email, 2);
      const answers = await Promise.all(
        Array.from({ length: 5 }, (_, i) => reset(email, code, `N3w-password!${i}`)),
      );
      const statuses = answers.map((answer) => answer.status).sort();
      expect(statuses).toEqual([200, 400, 400, 400, 400]);
    });

    it('answers alike for known and unknown emails and mails known ones alone', async () => {
      const { email } = await anAccount(service);
      const unknown = anEmail();
      const [yes, no] = await Promise.all([request(email), request(unknown)]);
      expect([yes.status, yes.body]).toEqual([no.status, no.body]);
      expect(yes.body).toEqual({ success: true, message: expect.any(String) });
      await newestCode(service, email, 2);
      expect(mailsTo(service, unknown)).toHaveLength(0);
    });

    it('keeps verification and reset codes apart', async () => {
      const account = await anAccount(service);
      const verification = await newestCode(service, account.email);
      expect((await reset(account.email, verification)).status).toBe(400);
      await request(account.email);
      const code = await newestCode(service, account.email, 2);
      if (code !== verification) expect((await verify(account, code)).status).toBe(400);
    });

    it('does not use a code up for a weak password', async () => {
      const { email } = await anAccount(service);
      await request(email);
      const code = await newestCode(service, email, 2);
      const weak = await reset(email, code, 'weakweak');
      expect([weak.status, weak.body.field]).toEqual([400, 'password']);
      expect((await reset(email, code)).status).toBe(200);
    });

    it('is the same 400 for an unknown email and a wrong or expired code', async () => {
      const { email, userId } = await anAccount(service);
      await request(email);
      const code = await newestCode(service, email, 2);
      const wrong = await reset(email, other(code));
      await expire(`reset:${userId}`);
      const expired = await reset(email, code);
      const unknown = await reset(anEmail(), code);
      for (const answer of [wrong, expired, unknown]) {
        expect([answer.status, answer.body]).toEqual([400, wrong.body]);
        expect(answer.body).toEqual(refusal);
      }
    });

    it('mails three codes an hour to one account, whoever asks', async () => {
      const { email } = await anAccount(service);
      for (let i = 0; i < 5; i++) expect((await request(email)).status).toBe(200);
      await newestCode(service, email, 4);
      // A mail to somebody else is later than a fifth one would have been.
      const late = await anAccount(service);
      await request(late.email);
      await newestCode(service, late.email, 2);
      expect(mailsTo(service, email)).toHaveLength(4);
    });

    it('mails nothing to an account without password', async () => {
      const account = await anAccount(service);
      const database = await databaseOf(service);
      await database
        .collection('accounts')
        .updateOne({ email: account.email }, { $set: { password_hash: null } });
      await database.close();
      expect((await request(account.email)).status).toBe(200);
      const late = await anAccount(service);
      await request(late.email);
      await newestCode(service, late.email, 2);
      expect(mailsTo(service, account.email)).toHaveLength(1);
    });

    it.each([[{}], [{ email: 'x' }], [{ email: 5 }]])('is 422 for %j', async (body) => {
      expect((await post(service, '/auth/request-password-reset', body)).status).toBe(422);
      expect((await post(service, '/auth/reset-password', body)).status).toBe(422);
    });
  });

  it('stores no code in clear', async () => {
    const { email, userId } = await anAccount(service);
    const code = await newestCode(service, email);
    const database = await databaseOf(service);
    const filter = { _id: `verification:${userId}` as never };
    const stored = await database.collection('codes').findOne(filter);
    await database.close();
    expect(stored?.hash).toMatch(/^[0-9a-f]{64}$/);
    expect(JSON.stringify({ ...stored, hash: '' })).not.toContain(code);
  });
});

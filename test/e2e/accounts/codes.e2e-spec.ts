import {
  anAccount,
  anEmail,
  aVerifiedAccount,
  STRONG_PASSWORD,
  TestAccount,
} from '../../support/factories/accounts';
import { endCodeLock, expireCode } from '../../support/factories/stored-account';
import { anAddress, bearer, claimsOf, cookiesOf, post } from '../../support/http';
import { mailsTo, newestCode } from '../../support/outbox';
import { databaseOf } from '../../support/database';
import { eventually } from '../../support/shared/eventually';
import { Service, startService } from '../../support/service';

const other = (code: string) => String((Number(code) + 1) % 1_000_000).padStart(6, '0');

describe('One-time codes', () => {
  let service: Service;
  // The budgets of unknown addresses can be found only if no other file requests codes.
  beforeAll(async () => (service = await startService({ own: true })));
  afterAll(() => service.stop());

  const send = (account: TestAccount) =>
    post(service, '/auth/send-verification').set(bearer(account.accessToken));
  const verify = (account: TestAccount, code: unknown, address = anAddress()) =>
    post(service, '/auth/verify-email', { code })
      .set(bearer(account.accessToken))
      .set('X-Forwarded-For', address);
  const request = (email: unknown, address = anAddress()) =>
    post(service, '/auth/request-password-reset', { email }).set('X-Forwarded-For', address);
  const reset = (email: string, code: string, password = 'N3w-password!', address = anAddress()) =>
    post(service, '/auth/reset-password', { email, code, password }).set(
      'X-Forwarded-For',
      address,
    );
  const refusal = { code: 'validation_error', field: 'code', error: expect.any(String) };

  async function document(name: string, start: string): Promise<Record<string, unknown> | null> {
    const database = await databaseOf(service);
    const filter = { _id: { $regex: `^${start}` } as never };
    const [found] = await database
      .collection(name)
      .find(filter)
      .sort({ expires_at: -1 })
      .limit(1)
      .toArray();
    await database.close();
    return found ?? null;
  }

  async function budgetIds(): Promise<string[]> {
    const database = await databaseOf(service);
    const all = await database.collection('code_budgets').find().toArray();
    await database.close();
    return all.map(({ _id }) => String(_id));
  }

  /** Emails are sent in order, so once this email has arrived, all earlier emails have too. */
  async function settled(): Promise<void> {
    const { email } = await anAccount(service);
    await request(email);
    await newestCode(service, email, 2);
  }

  async function verificationCode(email: string): Promise<string> {
    await newestCode(service, email);
    return /^(\d{6})\r$/m.exec(mailsTo(service, email)[0] ?? '')?.[1] ?? '';
  }

  const expire = (id: string): Promise<void> => expireCode(service, id);

  describe('verify-email', () => {
    it('verifies the address, returns new tokens and sends a welcome email', async () => {
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

    it('accepts a code once for ten concurrent requests', async () => {
      const account = await anAccount(service);
      const code = await newestCode(service, account.email);
      const answers = await Promise.all(Array.from({ length: 10 }, () => verify(account, code)));
      const statuses = answers.map((answer) => answer.status).sort();
      expect(statuses).toEqual([200, ...Array.from({ length: 9 }, () => 400)]);
    });

    it('invalidates a code for a client after five wrong attempts, not earlier', async () => {
      const [four, five] = [await anAccount(service), await anAccount(service)];
      for (const [account, tries, status] of [
        [four, 4, 200],
        [five, 5, 400],
      ] as const) {
        const code = await newestCode(service, account.email);
        const address = anAddress();
        const wrong = await Promise.all(
          Array.from({ length: tries }, () => verify(account, other(code), address)),
        );
        for (const answer of wrong) expect([answer.status, answer.body]).toEqual([400, refusal]);
        expect((await verify(account, code, address)).status).toBe(status);
      }
    });

    it('accepts only the newest code', async () => {
      const account = await anAccount(service);
      const first = await newestCode(service, account.email);
      const sent = await send(account);
      expect(sent.body).toEqual({ success: true, message: expect.any(String), expires_in: 600 });
      const second = await newestCode(service, account.email, 2);
      if (first !== second) expect((await verify(account, first)).status).toBe(400);
      expect((await verify(account, second)).status).toBe(200);
    });

    it('returns 400 once the code has expired', async () => {
      const account = await anAccount(service);
      const code = await newestCode(service, account.email);
      await expire(`verification:${account.userId}`);
      expect((await verify(account, code)).status).toBe(400);
    });

    it.each(['12345', '１２３４５６', undefined])('returns 422 for the code %j', async (code) => {
      const account = await anAccount(service);
      const answer = await verify(account, code);
      expect([answer.status, answer.body.field]).toEqual([422, 'code']);
    });

    it('returns 401 without a credential', async () => {
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

    it('sends three emails an hour, in addition to the registration email', async () => {
      const account = await anAccount(service);
      const statuses: number[] = [];
      for (let i = 0; i < 4; i++) statuses.push((await send(account)).status);
      expect(statuses).toEqual([200, 200, 200, 429]);
    });
  });

  describe('password reset', () => {
    it('sets the password, invalidates the code and ends all sessions', async () => {
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

    it('accepts a code once for five concurrent requests', async () => {
      const { email } = await anAccount(service);
      await request(email);
      const code = await newestCode(service, email, 2);
      const answers = await Promise.all(
        Array.from({ length: 5 }, (_, i) => reset(email, code, `N3w-password!${i}`)),
      );
      const statuses = answers.map((answer) => answer.status).sort();
      expect(statuses).toEqual([200, 400, 400, 400, 400]);
    });

    it('returns the same response for known and unknown emails, and sends email only to known ones', async () => {
      const { email } = await anAccount(service);
      const unknown = anEmail();
      const [yes, no] = await Promise.all([request(email), request(unknown)]);
      expect([yes.status, yes.body]).toEqual([no.status, no.body]);
      expect(yes.body).toEqual({ success: true, message: expect.any(String) });
      await newestCode(service, email, 2);
      expect(mailsTo(service, unknown)).toHaveLength(0);
    });

    it('distinguishes verification codes from reset codes', async () => {
      const account = await anAccount(service);
      const verification = await newestCode(service, account.email);
      expect((await reset(account.email, verification)).status).toBe(400);
      await request(account.email);
      const code = await newestCode(service, account.email, 2);
      if (code !== verification) expect((await verify(account, code)).status).toBe(400);
    });

    it('returns the same 400 for an unknown email and for a wrong or expired code', async () => {
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

    it('sends three codes an hour to one account for any number of clients', async () => {
      const { email } = await anAccount(service);
      for (let i = 0; i < 5; i++) expect((await request(email)).status).toBe(200);
      await newestCode(service, email, 4);
      // A fifth email would have arrived before this later email to another account.
      const late = await anAccount(service);
      await request(late.email);
      await newestCode(service, late.email, 2);
      expect(mailsTo(service, email)).toHaveLength(4);
    });

    it('sends two codes to one client and reserves a third code for another client', async () => {
      const { email } = await anAccount(service);
      const attacker = anAddress();
      for (let i = 0; i < 3; i++) expect((await request(email, attacker)).status).toBe(200);
      await newestCode(service, email, 3);
      await settled();
      expect(mailsTo(service, email)).toHaveLength(3);
      await request(email);
      expect((await reset(email, await newestCode(service, email, 4))).status).toBe(200);
    });

    it('is not locked if one client uses up its attempts', async () => {
      const { email, userId } = await anAccount(service);
      const [attacker, owner] = ['2001:db8:5:6::', anAddress()];
      await request(email, owner);
      const code = await newestCode(service, email, 2);
      // Addresses in the same network share the limit.
      for (let i = 0; i < 8; i++) {
        const wrong = await reset(email, other(code), 'N3w-password!', `${attacker}${i}`);
        expect([400, 429]).toContain(wrong.status);
      }
      const tries = await document('codes', `reset:${userId}`);
      expect(tries?.tries).toBe(5);
      expect((await reset(email, code, 'N3w-password!', `${attacker}99`)).status).not.toBe(200);
      expect((await reset(email, code, 'N3w-password!', owner)).status).toBe(200);
    });

    it.each([
      [14, 200],
      [15, 400],
    ])('with %i wrong attempts at a code by several clients returns %i', async (wrong, status) => {
      const { email } = await anAccount(service);
      await request(email);
      const code = await newestCode(service, email, 2);
      await Promise.all(
        Array.from({ length: wrong }, () => reset(email, other(code), 'N3w-password!')),
      );
      expect((await reset(email, code)).status).toBe(status);
    });

    it('is locked for a day after twenty wrong codes, and sends one email about it', async () => {
      const account = await anAccount(service);
      const { email, userId } = account;
      const warnings = () =>
        mailsTo(service, email).filter((mail) => mail.includes('Subject: Too many wrong codes'));
      const guess = (count: number, code: string) =>
        Promise.all(Array.from({ length: count }, () => reset(email, other(code))));
      await request(email);
      await guess(15, await newestCode(service, email, 2));
      await request(email);
      const code = await newestCode(service, email, 3);
      await guess(4, code);
      await settled();
      expect(warnings()).toHaveLength(0);
      await guess(6, code);
      await eventually(() => warnings().length > 0);
      expect((await reset(email, code)).status).toBe(400);
      expect((await verify(account, await verificationCode(email))).status).toBe(400);
      expect((await request(email)).status).toBe(200);
      const sent = await send(account);
      expect(sent.body).toEqual({ success: true, message: expect.any(String), expires_in: 0 });
      await settled();
      expect(mailsTo(service, email)).toHaveLength(4);
      expect(warnings()).toHaveLength(1);
      await endCodeLock(service, userId);
      expect((await reset(email, code)).status).toBe(200);
    });

    it('behaves in the same way for an email with and without an account', async () => {
      const [known, unknown, client] = [await anAccount(service), anEmail(), anAddress()];
      const traces = [];
      for (const email of [known.email, unknown]) {
        const before = await budgetIds();
        await request(email, client);
        await eventually(async () => (await budgetIds()).length > before.length);
        const id = (await budgetIds()).find((other) => !before.includes(other)) ?? '';
        expect(id).toMatch(/^[0-9a-f]{24}$/);
        await eventually(async () => (await document('codes', `reset:${id}`)) !== null);
        // Tries twice, because a random code is correct once in a million.
        for (let i = 0; i < 2; i++) expect((await reset(email, '000000')).status).toBe(400);
        const code = await document('codes', `reset:${id}`);
        const budget = await document('code_budgets', id);
        expect((code?.expires_at as Date).getTime()).toBeLessThanOrEqual(Date.now() + 600_000);
        expect((budget?.expires_at as Date).getTime()).toBeLessThanOrEqual(Date.now() + 86_400_000);
        traces.push({
          fields: [Object.keys(code ?? {}), Object.keys(budget ?? {})],
          hash: /^[0-9a-f]{64}$/.test(String(code?.hash)),
          used: [code?.tries, (budget?.tries as []).length, (budget?.mails as []).length],
        });
      }
      expect(traces[1]).toEqual(traces[0]);
      expect(traces[0]?.used).toEqual([2, 2, 1]);
      const stored = JSON.stringify(await document('codes', ''));
      for (const text of [client, unknown]) expect(stored).not.toContain(text);
    });

    it.each([[{}], [{ email: 'x' }], [{ email: 5 }]])('returns 422 for %j', async (body) => {
      expect((await post(service, '/auth/request-password-reset', body)).status).toBe(422);
      expect((await post(service, '/auth/reset-password', body)).status).toBe(422);
    });
  });

  it('stores no code in plain text', async () => {
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

import {
  aKey,
  anAccount,
  anEmail,
  aVerifiedAccount,
  type TestAccount,
} from '../../support/factories/accounts';
import { bearer, post } from '../../support/http';
import { Browser } from '../../support/oauth/browser';
import {
  aPerson,
  type Body,
  link,
  me,
  NAMES,
  read,
  type Realm,
  refusal,
  signIn,
  startRealm,
  unlink,
} from '../../support/oauth/realm';

describe('Linked providers', () => {
  let realm: Realm;
  beforeAll(async () => (realm = await startRealm()));
  afterAll(() => realm.stop());

  async function aPersonWithBoth(): Promise<Browser> {
    const person = await aPerson(realm);
    const browser = new Browser();
    await signIn(realm, 'google', person, browser);
    await signIn(realm, 'oidc', person, browser);
    expect((await me(realm, browser)).auth_providers).toHaveLength(2);
    return browser;
  }

  describe.each(NAMES)('linking %s', (name) => {
    it("adds the provider to the caller's account and signs in", async () => {
      const account = await aVerifiedAccount(realm.service);
      const person = await aPerson(realm, { email: account.email });
      const browser = new Browser();
      const answer = await link(realm, name, person, account.accessToken, browser);
      expect([answer.status, answer.headers.get('Location')]).toEqual([302, '/dashboard']);
      expect(await me(realm, browser)).toMatchObject({
        id: account.userId,
        password_set: true,
        pfp: { url: person.picture, source: name },
      });
      expect(await read(realm, '/oauth/providers', account.accessToken)).toEqual({
        status: 200,
        body: {
          providers: [
            {
              provider: name,
              email: account.email,
              email_verified: true,
              linked_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
              profile: { name: 'Ada Example', picture: 'https://pictures.example/ada.png' },
            },
          ],
          password_set: true,
        },
      });
      const again = new Browser();
      await signIn(realm, name, person, again);
      expect((await me(realm, again)).id).toBe(account.userId);
    });

    it('accepts the access cookie, returns to `next` and requires no verified email', async () => {
      const account = await anAccount(realm.service);
      const person = await aPerson(realm, { email: account.email, email_verified: false });
      const browser = new Browser();
      const start = await browser.request(
        `${realm.site}/oauth/${name}/link?next=/dashboard/settings`,
        {
          headers: { Cookie: account.cookies },
        },
      );
      const answer = await browser.request(await browser.visitProvider(start, person.sub));
      expect([answer.status, answer.headers.get('Location')]).toEqual([302, '/dashboard/settings']);
      const user = await me(realm, browser);
      expect(user).toMatchObject({ id: account.userId, email_verified: false });
      expect(user.auth_providers).toHaveLength(1);
    });
  });

  describe('linking any provider', () => {
    const name = 'google';

    it('verifies the email if the provider has verified it, and keeps the password', async () => {
      const account = await anAccount(realm.service);
      const person = await aPerson(realm, { email: account.email });
      await link(realm, name, person, account.accessToken);
      const { email, password } = account;
      const { status, body } = await post(realm.service, '/auth/login', { email, password });
      expect([status, body.user.email_verified]).toEqual([200, true]);
    });

    it('returns 409 for an identity of another account', async () => {
      const person = await aPerson(realm);
      await signIn(realm, name, person);
      const account = await aVerifiedAccount(realm.service);
      const browser = new Browser();
      const answer = await link(realm, name, person, account.accessToken, browser);
      expect(refusal(answer)).toEqual([409, 'conflict']);
      expect(browser.cookie('localhost', 'access_token')).toBeUndefined();
      expect((await me(realm, account.accessToken)).auth_providers).toEqual([]);
    });

    it('returns 409 for a provider that is already linked, with this identity or another', async () => {
      const account = await aVerifiedAccount(realm.service);
      const person = await aPerson(realm, { email: account.email });
      await link(realm, name, person, account.accessToken);
      const other = await aPerson(realm, { email: account.email });
      for (const someone of [person, other]) {
        const answer = await link(realm, name, someone, account.accessToken);
        expect(refusal(answer)).toEqual([409, 'conflict']);
      }
      expect((await me(realm, account.accessToken)).auth_providers).toHaveLength(1);
    });

    it.each([['another email', () => ({})]])(
      'returns 400 for %s than the account has',
      async (_, input) => {
        const account = await aVerifiedAccount(realm.service);
        const answer = await link(realm, name, await aPerson(realm, input()), account.accessToken);
        expect(refusal(answer)).toEqual([400, 'validation_error']);
        expect((await me(realm, account.accessToken)).auth_providers).toEqual([]);
      },
    );

    it('returns 401 if the session that requested it has ended meanwhile', async () => {
      const account = await aVerifiedAccount(realm.service);
      const person = await aPerson(realm, { email: account.email });
      const browser = new Browser();
      const start = await browser.request(`${realm.site}/oauth/${name}/link`, {
        headers: bearer(account.accessToken),
      });
      const callback = await browser.visitProvider(start, person.sub);
      await post(realm.service, '/auth/logout').set('Cookie', account.cookies);
      expect(refusal(await browser.request(callback))).toEqual([401, 'authentication_error']);
      expect((await me(realm, account.accessToken)).auth_providers).toEqual([]);
    });

    it('returns 401 without a session and 403 with a key', async () => {
      const path = `/oauth/${name}/link`;
      const none = await read(realm, path, 'x.y.z');
      expect([none.status, none.body.code]).toEqual([401, 'authentication_error']);
      expect(refusal(await new Browser().request(`${realm.site}${path}`))).toEqual([
        401,
        'authentication_error',
      ]);
      const key = await aKey(realm.service, await aVerifiedAccount(realm.service), ['admin:all']);
      const answer = await new Browser().request(`${realm.site}${path}`, { headers: bearer(key) });
      expect(refusal(answer)).toEqual([403, 'forbidden']);
    });
  });

  describe('GET /oauth/providers', () => {
    it('returns an empty list for an account with only a password, and accepts keys', async () => {
      const account = await aVerifiedAccount(realm.service);
      const key = await aKey(realm.service, account, ['urls:read']);
      const expected = { status: 200, body: { providers: [], password_set: true } };
      expect(await read(realm, '/oauth/providers', account.accessToken)).toEqual(expected);
      expect(await read(realm, '/oauth/providers', key)).toEqual(expected);
    });

    it('returns 401 as JSON without a credential', async () => {
      const { status, body } = await read(realm, '/oauth/providers', new Browser());
      expect([status, body.code]).toEqual([401, 'authentication_error']);
    });
  });

  describe('unlinking', () => {
    it('removes a provider and its picture while a password remains', async () => {
      const account = await aVerifiedAccount(realm.service);
      const person = await aPerson(realm, { email: account.email });
      const browser = new Browser();
      await link(realm, 'google', person, account.accessToken, browser);
      expect(await unlink(realm, 'google', browser)).toEqual({
        status: 200,
        body: { success: true, message: expect.any(String) },
      });
      expect(await me(realm, browser)).toMatchObject({ auth_providers: [], pfp: null });
      expect((await unlink(realm, 'google', browser)).status).toBe(404);
    });

    it('removes one of two providers, and uses the picture of the other', async () => {
      const browser = await aPersonWithBoth();
      expect((await unlink(realm, 'google', browser)).status).toBe(200);
      expect(await me(realm, browser)).toMatchObject({
        auth_providers: [{ provider: 'oidc' }],
        pfp: { source: 'oidc' },
      });
      const last = await unlink(realm, 'oidc', browser);
      expect([last.status, last.body.code]).toEqual([400, 'validation_error']);
    });

    it('is possible after a password is set', async () => {
      const person = await aPerson(realm);
      const browser = new Browser();
      await signIn(realm, 'oidc', person, browser);
      expect((await unlink(realm, 'oidc', browser)).status).toBe(400);
      const token = browser.cookie('localhost', 'access_token') ?? '';
      const password = 'F1rst-password!';
      const set = await post(realm.service, '/auth/set-password', { password }).set(bearer(token));
      expect(set.status).toBe(200);
      expect((await unlink(realm, 'oidc', browser)).status).toBe(200);
      const login = await post(realm.service, '/auth/login', { email: person.email, password });
      expect(login.status).toBe(200);
    });

    it('keeps one of two providers if both are unlinked concurrently', async () => {
      for (let round = 0; round < 5; round++) {
        const browser = await aPersonWithBoth();
        const answers = await Promise.all(NAMES.map((name) => unlink(realm, name, browser)));
        expect(answers.map(({ status }) => status).sort()).toEqual([200, 400]);
        expect((await me(realm, browser)).auth_providers).toHaveLength(1);
      }
    });

    it.each(['google', 'oidc', 'github', 'x%2Fy', '%00'])(
      'returns 404 for %s if it is not linked',
      async (name) => {
        const { accessToken } = await aVerifiedAccount(realm.service);
        const url = `${realm.site}/oauth/providers/${name}/unlink`;
        const answer = await new Browser().request(url, {
          method: 'DELETE',
          headers: bearer(accessToken),
        });
        expect(answer.headers.get('Content-Type')).toContain('application/json');
        expect([answer.status, ((await answer.json()) as Body).code]).toEqual([404, 'not_found']);
      },
    );

    it('and setting a first password require a key with admin:all', async () => {
      const browser = new Browser();
      await signIn(realm, 'google', await aPerson(realm), browser);
      const session = browser.cookie('localhost', 'access_token') ?? '';
      const account = { accessToken: session } as TestAccount;
      const [thief, admin] = [
        await aKey(realm.service, account, ['shorten:create', 'urls:manage']),
        await aKey(realm.service, account, ['admin:all']),
      ];
      const password = { password: 'Th1ef-password!' };
      const setPassword = (key: string) =>
        post(realm.service, '/auth/set-password', password).set(bearer(key));
      const unlinkBy = (key: string) =>
        new Browser().request(`${realm.site}/oauth/providers/google/unlink`, {
          method: 'DELETE',
          headers: bearer(key),
        });
      const refused = await setPassword(thief);
      expect([refused.status, refused.body.code]).toEqual([403, 'forbidden']);
      expect(refusal(await unlinkBy(thief))).toEqual([403, 'forbidden']);
      expect(await me(realm, session)).toMatchObject({
        password_set: false,
        auth_providers: [{ provider: 'google' }],
      });
      expect((await setPassword(admin)).status).toBe(200);
      expect((await unlinkBy(admin)).status).toBe(200);
    });

    it('returns 401 without a credential and 403 from another site', async () => {
      expect((await unlink(realm, 'google', new Browser())).status).toBe(401);
      const browser = new Browser();
      await signIn(realm, 'google', await aPerson(realm), browser);
      const answer = await browser.request(`${realm.site}/oauth/providers/google/unlink`, {
        method: 'DELETE',
        headers: { Origin: 'https://evil.example' },
      });
      expect(refusal(answer)).toEqual([403, 'forbidden']);
    });
  });

  it('does not link a new identity with a different email to a linked account', async () => {
    const person = await aPerson(realm);
    const browser = new Browser();
    await signIn(realm, 'google', person, browser);
    const stranger = await aPerson(realm, { email: anEmail() });
    const other = new Browser();
    await signIn(realm, 'google', stranger, other);
    expect((await me(realm, other)).id).not.toBe((await me(realm, browser)).id);
  });
});

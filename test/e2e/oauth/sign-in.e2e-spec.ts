import { Types } from 'mongoose';
import { anAccount, anEmail, aVerifiedAccount } from '../../support/factories/accounts';
import { mailsTo } from '../../support/outbox';
import { post } from '../../support/http';
import { databaseOf } from '../../support/database';
import { eventually } from '../../support/shared/eventually';
import { Browser } from '../../support/oauth/browser';
import {
  aPerson,
  callbackOf,
  claimsOf,
  me,
  NAMES,
  read,
  type Realm,
  refusal,
  signIn,
  startRealm,
} from '../../support/oauth/realm';

describe('Signing in through a provider', () => {
  let realm: Realm;
  beforeAll(async () => (realm = await startRealm()));
  afterAll(() => realm.stop());

  const welcomed = (email: string) =>
    mailsTo(realm.service, email).filter((mail) => mail.includes('Subject: Welcome')).length;

  describe.each(NAMES)('%s', (name) => {
    it('requests the code with a state, PKCE and a nonce, and sets a cookie', async () => {
      const browser = new Browser();
      const answer = await browser.request(`${realm.site}/oauth/${name}`);
      expect(answer.status).toBe(302);
      expect(answer.headers.get('Cache-Control')).toBe('no-store');
      const location = new URL(answer.headers.get('Location') ?? '');
      expect(`${location.origin}${location.pathname}`).toBe(`${realm.provider.issuer}/auth`);
      expect(Object.fromEntries(location.searchParams)).toEqual({
        client_id: `${name}-client`,
        response_type: 'code',
        redirect_uri: `${realm.site}/oauth/${name}/callback`,
        scope: 'openid email profile',
        state: expect.stringMatching(/^[\w-]{43}$/),
        nonce: expect.stringMatching(/^[\w-]{43}$/),
        code_challenge: expect.stringMatching(/^[\w-]{43}$/),
        code_challenge_method: 'S256',
      });
      expect(answer.headers.getSetCookie()).toEqual([
        expect.stringMatching(
          /^oauth_browser=[\w-]{43}; Max-Age=600; Path=\/; .*HttpOnly; SameSite=Lax$/,
        ),
      ]);
    });

    it('creates an account without a password the first time and finds it the second time', async () => {
      const person = await aPerson(realm, { email: anEmail().toUpperCase() });
      const email = person.email?.toLowerCase() ?? '';
      const browser = new Browser();
      const answer = await signIn(realm, name, person, browser);
      expect([answer.status, answer.headers.get('Location')]).toEqual([302, '/dashboard']);
      const [access, refresh] = answer.headers.getSetCookie();
      expect(access).toMatch(
        /^access_token=[^;]+; Max-Age=900; Path=\/; .*HttpOnly; SameSite=Lax$/,
      );
      expect(refresh).toMatch(/^refresh_token=[^;]+; Max-Age=2592000; .*HttpOnly; SameSite=Lax$/);
      expect(claimsOf(browser)).toMatchObject({ amr: [name], email, email_verified: true });
      const user = await me(realm, browser);
      expect(user).toEqual({
        id: expect.stringMatching(/^[0-9a-f]{24}$/),
        deletes_at: null,
        email,
        email_verified: true,
        user_name: 'Ada Example',
        plan: 'free',
        role: 'user',
        password_set: false,
        auth_providers: [{ provider: name, email, linked_at: expect.stringMatching(/Z$/) }],
        pfp: { url: 'https://pictures.example/ada.png', source: name },
      });
      await eventually(() => welcomed(email) === 1);

      const elsewhere = new Browser();
      await realm.provider.tell({ ...person, picture: 'https://pictures.example/new.png' });
      expect((await signIn(realm, name, person, elsewhere)).status).toBe(302);
      const again = await me(realm, elsewhere);
      const pfp = { url: 'https://pictures.example/new.png', source: name };
      expect(again).toEqual(Object.assign(user, { pfp }));
      expect(welcomed(email)).toBe(1);
      const refreshed = await elsewhere.request(`${realm.site}/auth/refresh`, { method: 'POST' });
      expect(refreshed.status).toBe(200);
      expect(claimsOf(elsewhere)).toMatchObject({ amr: [name] });
    });
  });

  describe('through any provider', () => {
    const name = 'google';

    it('rejects a suspended account, and creates no session', async () => {
      const person = await aPerson(realm);
      const browser = new Browser();
      await signIn(realm, name, person, browser);
      const { id } = await me(realm, browser);
      const database = await databaseOf(realm.service);
      const accounts = database.collection('accounts');
      const which = { _id: new Types.ObjectId(id) };
      const suspended = { at: new Date(), by: null, reason: 'Spam' };
      await accounts.updateOne(which, { $set: { suspended } });
      const answer = await signIn(realm, name, person, new Browser());
      expect(answer.status).toBe(403);
      expect(await answer.text()).toContain('This account is suspended');
      expect(answer.headers.getSetCookie().join()).not.toContain('access_token=ey');
      await accounts.updateOne(which, { $set: { suspended: null } });
      expect((await signIn(realm, name, person, new Browser())).status).toBe(302);
      await database.close();
    });

    it('finds the account by the identity after its email has changed at the provider', async () => {
      const person = await aPerson(realm);
      const [before, after] = [new Browser(), new Browser()];
      await signIn(realm, name, person, before);
      await realm.provider.tell({ ...person, email: 'new@example.com', email_verified: false });
      await signIn(realm, name, person, after);
      const user = await me(realm, after);
      expect([user.id, user.email, user.email_verified]).toEqual([
        (await me(realm, before)).id,
        person.email,
        true,
      ]);
      const { body } = await read(realm, '/oauth/providers', after);
      expect(body.providers[0]).toMatchObject({ email: 'new@example.com', email_verified: false });
    });

    it('links the provider to the account with the same verified email', async () => {
      const account = await aVerifiedAccount(realm.service);
      const person = await aPerson(realm, { email: account.email });
      const browser = new Browser();
      expect((await signIn(realm, name, person, browser)).status).toBe(302);
      const user = await me(realm, browser);
      expect(user).toMatchObject({ id: account.userId, password_set: true, user_name: null });
      expect(user.auth_providers).toHaveLength(1);
      const { email, password, cookies } = account;
      expect((await post(realm.service, '/auth/login', { email, password })).status).toBe(200);
      expect((await post(realm.service, '/auth/refresh').set('Cookie', cookies)).status).toBe(200);
    });

    it('returns 409 for an email that the provider has not verified, for any account', async () => {
      for (const account of [
        await aVerifiedAccount(realm.service),
        await anAccount(realm.service),
      ]) {
        for (const email_verified of [false, undefined]) {
          const person = await aPerson(realm, { email: account.email, email_verified });
          const browser = new Browser();
          const answer = await signIn(realm, name, person, browser);
          expect(refusal(answer)).toEqual([409, 'conflict']);
          expect(browser.cookie('localhost', 'access_token')).toBeUndefined();
        }
        expect((await me(realm, account.accessToken)).auth_providers).toEqual([]);
      }
    });

    it('creates an unverified account for an unverified email, without a welcome email', async () => {
      const person = await aPerson(realm, { email_verified: false });
      const browser = new Browser();
      expect((await signIn(realm, name, person, browser)).status).toBe(302);
      expect(claimsOf(browser)).toMatchObject({ email_verified: false });
      expect(await me(realm, browser)).toMatchObject({ email_verified: false });

      await realm.provider.tell({ ...person, email_verified: true });
      await signIn(realm, name, person, browser);
      expect(claimsOf(browser)).toMatchObject({ email_verified: true });
      await eventually(() => welcomed(person.email ?? '') === 1);
    });

    it('creates one account from five concurrent first sign-ins', async () => {
      const person = await aPerson(realm);
      const ready = await Promise.all(
        Array.from({ length: 5 }, async () => {
          const browser = new Browser();
          return { browser, callback: await callbackOf(realm, browser, name, person) };
        }),
      );
      const answers = await Promise.all(
        ready.map(({ browser, callback }) => browser.request(callback)),
      );
      expect(answers.map(({ status }) => status)).toEqual([302, 302, 302, 302, 302]);
      const users = await Promise.all(ready.map(({ browser }) => me(realm, browser)));
      expect(new Set(users.map(({ id }) => id)).size).toBe(1);
      expect(users[0]?.auth_providers).toHaveLength(1);
    });

    it.each([['no email', { email: undefined }]])(
      'returns 400 for a new user with %s',
      async (_, input) => {
        const answer = await signIn(realm, name, await aPerson(realm, input));
        expect(refusal(answer)).toEqual([400, 'validation_error']);
      },
    );
  });

  it('distinguishes providers that return the same `sub`', async () => {
    const person = await aPerson(realm);
    const browser = new Browser();
    await signIn(realm, 'google', person, browser);
    await realm.provider.tell({ ...person, email: anEmail() });
    const other = new Browser();
    await signIn(realm, 'oidc', person, other);
    expect((await me(realm, other)).id).not.toBe((await me(realm, browser)).id);
  });

  it('uses an index to find identities', async () => {
    const database = await databaseOf(realm.service);
    const plan = await database
      .collection('accounts')
      .find({
        'identities.subject': 'x',
        identities: { $elemMatch: { provider: 'google', subject: 'x' } },
      })
      .explain('executionStats');
    await database.close();
    expect(JSON.stringify(plan)).toContain('"indexName":"identity"');
    expect(plan.executionStats.totalDocsExamined).toBe(0);
  });

  describe('the return path', () => {
    it.each([
      ['/dashboard/links?page=2#top', '/dashboard/links?page=2#top'],
      ['/alias', '/dashboard'],
      ['//evil.example', '/dashboard'],
    ])('%j becomes %s', async (next, expected) => {
      const browser = new Browser();
      const query = `?${new URLSearchParams({ next }).toString()}`;
      const callback = await callbackOf(realm, browser, 'google', await aPerson(realm), query);
      const answer = await browser.request(callback);
      expect([answer.status, answer.headers.get('Location')]).toEqual([302, expected]);
    });

    it.each(['?next=/stats&next=/', '?next[x]=/stats'])('%s becomes /dashboard', async (query) => {
      const browser = new Browser();
      const callback = await callbackOf(realm, browser, 'oidc', await aPerson(realm), query);
      expect((await browser.request(callback)).headers.get('Location')).toBe('/dashboard');
    });
  });
});

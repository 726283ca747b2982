import { anAccount, anEmail, type TestAccount } from '../../support/factories/accounts';
import { anAddress, bearer, post } from '../../support/http';
import { newestCode } from '../../support/outbox';
import { Browser } from '../../support/oauth/browser';
import {
  aPerson,
  link,
  me,
  NAMES,
  read,
  type Realm,
  refusal,
  signIn,
  startRealm,
} from '../../support/oauth/realm';

describe('An account created with another person’s address', () => {
  let realm: Realm;
  beforeAll(async () => (realm = await startRealm()));
  afterAll(() => realm.stop());

  const login = ({ email, password }: TestAccount) =>
    post(realm.service, '/auth/login', { email, password });

  async function expectLockedOut(creator: TestAccount): Promise<void> {
    expect((await login(creator)).status).toBe(401);
    const refreshed = await post(realm.service, '/auth/refresh').set('Cookie', creator.cookies);
    expect(refreshed.status).toBe(401);
    for (const path of ['/auth/me', '/oauth/providers', '/oauth/oidc/link', '/api/v1/keys']) {
      expect((await read(realm, path, creator.accessToken)).status).toBe(401);
    }
    for (const path of ['/auth/set-password', '/auth/send-verification', '/api/v1/keys']) {
      const answer = await post(realm.service, path, { password: 'N3w-password!' }).set(
        bearer(creator.accessToken),
      );
      expect([path, answer.status]).toEqual([path, 401]);
    }
    const statistics = await read(realm, '/api/v1/public/stats/whatever', creator.accessToken);
    expect(statistics.status).toBe(401);
  }

  describe.each(NAMES)('%s', (name) => {
    it('passes to the owner, whose provider verifies the address, and its creator is locked out', async () => {
      const creator = await anAccount(realm.service);
      const owner = await aPerson(realm, { email: creator.email });
      const browser = new Browser();
      expect((await signIn(realm, name, owner, browser)).status).toBe(302);
      expect(await me(realm, browser)).toMatchObject({
        id: creator.userId,
        email_verified: true,
        password_set: false,
        user_name: 'Ada Example',
        auth_providers: [{ provider: name, email: creator.email }],
      });
      await expectLockedOut(creator);
      const refreshed = await browser.request(`${realm.site}/auth/refresh`, { method: 'POST' });
      expect(refreshed.status).toBe(200);
      const token = browser.cookie('localhost', 'access_token') ?? '';
      const made = await post(realm.service, '/api/v1/shorten', { long_url: 'https://a.test' }).set(
        bearer(token),
      );
      expect([made.status, made.body.owner_id]).toEqual([201, creator.userId]);
    });
  });

  it('is found only by exactly the same address, not by a similar one', async () => {
    const owner = await anAccount(realm.service, anEmail().replace('user-', 'kate-'));
    const twin = owner.email.replace('kate-', '\u212Aate-');
    const person = await aPerson(realm, { email: twin });
    expect(refusal(await signIn(realm, 'oidc', person))).toEqual([400, 'validation_error']);
    expect((await me(realm, owner.accessToken)).auth_providers).toEqual([]);
    const password = 'N3w-password!';
    const made = await post(realm.service, '/auth/register', { email: twin, password });
    expect([made.status, made.body.field]).toEqual([422, 'email']);
  });

  it('also loses the identities of its creator', async () => {
    const email = anEmail();
    const creator = await aPerson(realm, { email, email_verified: false });
    const [before, after] = [new Browser(), new Browser()];
    await signIn(realm, 'oidc', creator, before);
    const token = before.cookie('localhost', 'access_token') ?? '';
    await signIn(realm, 'google', await aPerson(realm, { email }), after);
    expect((await me(realm, after)).auth_providers).toMatchObject([{ provider: 'google' }]);
    expect((await read(realm, '/auth/me', token)).status).toBe(401);
    const again = new Browser();
    expect(refusal(await signIn(realm, 'oidc', creator, again))).toEqual([409, 'conflict']);
  });

  it('does not accept a provider link that its creator started', async () => {
    const creator = await anAccount(realm.service);
    const accomplice = await aPerson(realm, { email: creator.email, email_verified: false });
    const browser = new Browser();
    const start = await browser.request(`${realm.site}/oauth/oidc/link`, {
      headers: bearer(creator.accessToken),
    });
    const callback = await browser.visitProvider(start, accomplice.sub);
    const owner = new Browser();
    await signIn(realm, 'google', await aPerson(realm, { email: creator.email }), owner);
    expect(refusal(await browser.request(callback))).toEqual([401, 'authentication_error']);
    expect((await me(realm, owner)).auth_providers).toHaveLength(1);
  });

  it('does not accept a first password that its creator sets concurrently', async () => {
    for (let round = 0; round < 3; round++) {
      const email = anEmail();
      const before = new Browser();
      await signIn(realm, 'oidc', await aPerson(realm, { email, email_verified: false }), before);
      const token = before.cookie('localhost', 'access_token') ?? '';
      const password = 'Att4cker-password!';
      const owner = new Browser();
      const person = await aPerson(realm, { email });
      const start = await owner.request(`${realm.site}/oauth/google`);
      const callback = await owner.visitProvider(start, person.sub);
      const [, answer] = await Promise.all([
        post(realm.service, '/auth/set-password', { password }).set(bearer(token)),
        owner.request(callback),
      ]);
      expect(answer.status).toBe(302);
      expect((await me(realm, owner)).password_set).toBe(false);
      expect((await post(realm.service, '/auth/login', { email, password })).status).toBe(401);
    }
  });

  it('loses the identities of its creator if the owner resets the password', async () => {
    const creator = await anAccount(realm.service);
    const accomplice = await aPerson(realm, { email: creator.email, email_verified: false });
    expect((await link(realm, 'oidc', accomplice, creator.accessToken)).status).toBe(302);
    const { email } = creator;
    await post(realm.service, '/auth/request-password-reset', { email });
    const code = await newestCode(realm.service, email, 2);
    const password = 'Own3r-password!';
    const reset = await post(realm.service, '/auth/reset-password', { email, code, password });
    expect(reset.status).toBe(200);
    expect(refusal(await signIn(realm, 'oidc', accomplice))).toEqual([409, 'conflict']);
    const { body } = await login({ ...creator, password });
    expect(body.user).toMatchObject({ password_set: true, auth_providers: [] });
  });

  it('is taken over once for two concurrent sign-ins', async () => {
    const creator = await anAccount(realm.service);
    const ready = await Promise.all(
      NAMES.map(async (name) => {
        const browser = new Browser(anAddress());
        const person = await aPerson(realm, { email: creator.email });
        const start = await browser.request(`${realm.site}/oauth/${name}`);
        return { browser, callback: await browser.visitProvider(start, person.sub) };
      }),
    );
    const answers = await Promise.all(
      ready.map(({ browser, callback }) => browser.request(callback)),
    );
    expect(answers.map(({ status }) => status)).toEqual([302, 302]);
    for (const { browser } of ready) {
      const { auth_providers } = await me(realm, browser);
      expect(auth_providers).toHaveLength(2);
      const refreshed = await browser.request(`${realm.site}/auth/refresh`, { method: 'POST' });
      expect(refreshed.status).toBe(200);
    }
    await expectLockedOut(creator);
  });
});

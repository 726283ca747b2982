import request from 'supertest';
import { getPage, sendForm } from '../../support/account-pages';
import { curtail } from '../../support/curtail';
import { STRONG_PASSWORD } from '../../support/factories/accounts';
import { anAddress, bearer, claimsOf, cookiesOf, cookieValue, post } from '../../support/http';
import { mailsTo } from '../../support/outbox';
import { Browser } from '../../support/oauth/browser';
import {
  aPerson,
  me,
  providerSettings,
  type Realm,
  signIn,
  startRealm,
  unlink,
} from '../../support/oauth/realm';
import { eventually, TEST_SECRET } from '../../support/service';

const ADMIN = 'boss@example.com';
const SETTINGS = { PASSWORD_SIGN_IN: 'false', REGISTRATION: 'closed', ADMIN_EMAILS: ADMIN };
const OFF = { code: 'forbidden', hint: 'password_sign_in' };

describe('sign-in through providers only', () => {
  let realm: Realm;
  const browser = new Browser();
  let token: string;
  beforeAll(async () => {
    realm = await startRealm(SETTINGS);
    const advice = /There is no administrator yet:.*ADMIN_EMAILS/;
    // Logged after the service is healthy.
    await eventually('the log says so', () => advice.test(realm.service.log()));
    expect(realm.service.log()).not.toContain('/setup?token=');
    const person = await aPerson(realm, { email: ADMIN });
    expect((await signIn(realm, 'google', person, browser)).status).toBe(302);
    token = browser.cookie('localhost', 'access_token') ?? '';
  });
  afterAll(() => realm.stop());

  const credentials = { email: ADMIN, password: STRONG_PASSWORD };

  function command(name: string, ...args: string[]) {
    const { dataDir, mongoUri: MONGODB_URI } = realm.service;
    const env = { BASE_URL: realm.site, MONGODB_URI, JWT_SECRET: TEST_SECRET, ...SETTINGS };
    const provider = providerSettings(realm.provider.issuer);
    return curtail(dataDir, ['admin', name, ...args, '--json'], { ...env, ...provider });
  }

  it('grants a listed address the admin role, although registration is closed', async () => {
    expect(await me(realm, browser)).toMatchObject({ email: ADMIN, role: 'admin' });
    const stranger = await signIn(realm, 'google', await aPerson(realm));
    expect(stranger.status).toBe(403);
    const { code, err } = await command('setup-link');
    expect([code, err]).toEqual([1, expect.stringContaining('ADMIN_EMAILS')]);
  });

  it.each(['login', 'register', 'request-password-reset', 'reset-password'])(
    'rejects POST /auth/%s with any body',
    async (route) => {
      const answers = [
        await post(realm.service, `/auth/${route}`, credentials),
        await post(realm.service, `/auth/${route}`, {}),
      ];
      for (const { status, body } of answers) expect([status, body]).toMatchObject([403, OFF]);
    },
  );

  it.each(['set-password', 'change-password'])('rejects POST /auth/%s', async (route) => {
    const answer = await post(realm.service, `/auth/${route}`, {}).set(bearer(token));
    expect([answer.status, answer.body]).toMatchObject([403, OFF]);
    expect((await post(realm.service, `/auth/${route}`, {})).status).toBe(401);
  });

  it('has pages with providers and without password fields', async () => {
    for (const path of ['/login', '/register']) {
      const page = await getPage(realm.service, path);
      const sent = await sendForm(realm.service, path, credentials);
      if (path === '/login') expect(page.text).toContain('/oauth/google');
      expect([page.status, sent.status]).toEqual([200, 403]);
      expect(page.text + sent.text).not.toContain('type="password"');
    }
    for (const path of ['/login/forgot-password', '/login/reset-password']) {
      const page = await getPage(realm.service, path);
      expect([page.status, page.headers.location]).toEqual([303, '/login']);
      expect((await sendForm(realm.service, path, credentials)).status).toBe(403);
    }
  });

  it('does not remove the only provider, and offers admins no password reset', async () => {
    expect((await unlink(realm, 'google', browser)).status).toBe(400);
    const { id } = await me(realm, browser);
    const reset = await request(realm.service.url)
      .post(`/api/v1/admin/accounts/${id}/password-reset`)
      .set({ 'X-Forwarded-For': anAddress(), ...bearer(token) });
    expect(reset.status).toBe(400);
    const { code, err } = await command('reset-password', ADMIN);
    expect([code, err]).toEqual([1, expect.stringMatching(/PASSWORD_SIGN_IN.*sign-in-link/)]);
  });

  it('accepts links from the command, which sign an account in once', async () => {
    const links = [await command('sign-in-link', ADMIN), await command('sign-in-link', ADMIN)];
    const [first = '', last = ''] = links.map(({ out }) => {
      const row = JSON.parse(out) as { email: string; link: string };
      expect(row.email).toBe(ADMIN);
      return new URL(row.link).searchParams.get('token') ?? '';
    });
    const page = await getPage(realm.service, `/setup?token=${last}`);
    expect([page.status, page.text]).toEqual([200, expect.stringContaining(ADMIN)]);
    expect((await getPage(realm.service, `/setup?token=${first}`)).status).toBe(404);
    const answer = await sendForm(realm.service, '/setup', { token: last });
    expect([answer.status, answer.headers.location]).toEqual([303, '/dashboard']);
    const access = cookieValue(cookiesOf(answer), 'access_token');
    expect(claimsOf(access)).toMatchObject({ amr: ['cli'], email: ADMIN });
    expect((await sendForm(realm.service, '/setup', { token: last })).status).toBe(404);
    await eventually('the notice is sent', () =>
      mailsTo(realm.service, ADMIN).some((mail) =>
        mail.includes('A sign-in link for your account'),
      ),
    );
  });
});

import { anAccount, aVerifiedAccount } from '../../support/factories/accounts';
import { newestCode } from '../../support/outbox';
import { Browser } from '../../support/oauth/browser';
import {
  aPerson,
  link,
  me,
  NAMES,
  type Realm,
  signIn,
  startRealm,
} from '../../support/oauth/realm';

describe('The sign-in page and the providers', () => {
  let realm: Realm;
  beforeAll(async () => (realm = await startRealm()));
  afterAll(() => realm.stop());

  const isSignInPage = (page: string) => page.includes('action="/login"');
  const alertOf = (page: string) => /role="alert"\s*>\s*([^<]*)/.exec(page)?.[1]?.trim();

  it('redirect to the provider and back to the requested page', async () => {
    const browser = new Browser();
    const page = await (await browser.request(`${realm.site}/login?next=/dashboard/keys`)).text();
    expect(page).toContain('Works &lt;ID&gt;');
    const ways = [...page.matchAll(/href="(\/oauth\/[^"]*)"/g)].map(([, href]) => href ?? '');
    expect(ways).toEqual(NAMES.map((name) => `/oauth/${name}?next=%2Fdashboard%2Fkeys`));
    const person = await aPerson(realm);
    const start = await browser.request(realm.site + (ways[1] ?? ''));
    const answer = await browser.request(await browser.visitProvider(start, person.sub));
    expect([answer.status, answer.headers.get('Location')]).toEqual([302, '/dashboard/keys']);
    const home = await browser.request(`${realm.site}/`);
    expect(await home.text()).toContain(person.email);
  });

  it.each(NAMES)('explain why the sign-in failed with %s', async (name) => {
    const browser = new Browser();
    const start = await browser.request(`${realm.site}/oauth/${name}`);
    const refused = await browser.request(await browser.refuseAtProvider(start));
    const page = await refused.text();
    expect([refused.status, isSignInPage(page)]).toEqual([400, true]);
    expect(alertOf(page)).toContain('did not complete the sign-in');
    const account = await anAccount(realm.service);
    const unproven = await aPerson(realm, { email: account.email, email_verified: false });
    const conflict = await signIn(realm, name, unproven);
    const again = await conflict.text();
    expect([conflict.status, isSignInPage(again)]).toEqual([409, true]);
    expect(again).toMatch(/<p[^>]*class="problem"[^>]*>\s*Your email has an account/);
    const stale = await new Browser().request(`${realm.site}/oauth/${name}/callback?state=x`);
    expect([stale.status, isSignInPage(await stale.text())]).toEqual([400, true]);
    const programs = await new Browser().request(`${realm.site}/oauth/${name}/callback?state=x`, {
      headers: { Accept: 'application/json' },
    });
    expect(await programs.json()).toMatchObject({ code: 'validation_error', field: 'state' });
  });

  it('ask for verification of an address that the provider has not verified', async () => {
    const person = await aPerson(realm, { email_verified: false });
    const browser = new Browser();
    const answer = await signIn(realm, 'google', person, browser);
    expect([answer.status, answer.headers.get('Location')]).toEqual([302, '/register/verify']);
    const send = (path: string, body: Record<string, string>) =>
      browser.request(realm.site + path, {
        method: 'POST',
        headers: { 'Content-Type': 'application/x-www-form-urlencoded', Origin: realm.site },
        body: new URLSearchParams(body).toString(),
      });
    expect((await send('/register/verify/resend', {})).status).toBe(303);
    const code = await newestCode(realm.service, person.email ?? '');
    const verified = await send('/register/verify', { code });
    expect([verified.status, verified.headers.get('Location')]).toEqual([303, '/dashboard']);
    expect(await me(realm, browser)).toMatchObject({ email_verified: true });
  });

  it('do not redirect a signed-in account that links another provider', async () => {
    const account = await aVerifiedAccount(realm.service);
    const other = await aPerson(realm);
    const answer = await link(realm, 'google', other, account.accessToken);
    const page = await answer.text();
    expect([answer.status, isSignInPage(page)]).toEqual([400, false]);
    expect(page).toContain('differs from the email on your account');
  });
});

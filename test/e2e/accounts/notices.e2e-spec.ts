import { type ParsedMail, simpleParser } from 'mailparser';
import { aVerifiedAccount } from '../../support/factories/accounts';
import { bearer, post } from '../../support/http';
import { mailsTo, newestCode } from '../../support/outbox';
import { eventually } from '../../support/shared/eventually';
import { Browser } from '../../support/oauth/browser';
import {
  aPerson,
  link,
  me,
  type Realm,
  signIn,
  startRealm,
  unlink,
} from '../../support/oauth/realm';

describe('Notices to the owner of an account', () => {
  let realm: Realm;
  beforeAll(async () => (realm = await startRealm()));
  afterAll(() => realm.stop());

  async function notice(email: string, subject: string): Promise<ParsedMail> {
    const found = () =>
      mailsTo(realm.service, email).filter((mail) => mail.includes(`Subject: ${subject}`));
    await eventually(() => found().length > 0);
    expect(found()).toHaveLength(1);
    const mail = await simpleParser(found()[0] ?? '');
    for (const words of [mail.text ?? '', String(mail.html)]) {
      expect(words).toMatch(/Time: \d{4}-\d\d-\d\d \d\d:\d\d UTC\. Client address: /);
      expect(words).toContain('If this was not you');
      expect(words).not.toMatch(/https?:\/\/|www\.|href=|<a\b/);
    }
    return mail;
  }

  it('announce a new API key with any name', async () => {
    const account = await aVerifiedAccount(realm.service);
    const name = '<a href="https://evil.example">Click Bcc: eve@example.com</a>';
    const made = await post(realm.service, '/api/v1/keys', { name, scopes: ['urls:read'] })
      .set(bearer(account.accessToken))
      .set('X-Forwarded-For', '203.0.113.77');
    expect(made.status).toBe(201);
    const mail = await notice(account.email, 'An API key was created');
    expect(mail.text).toContain('a href https evil example Click Bcc eve example com a');
    expect(mail.text).toContain(`svc_${made.body.token_prefix as string}`);
    expect(mail.text).toContain('Client address: 203.0.113.77.');
    expect(mail.bcc).toBeUndefined();
    expect(mail.text).not.toContain(made.body.token as string);
  });

  it('announce a changed password', async () => {
    const { email } = await aVerifiedAccount(realm.service);
    await post(realm.service, '/auth/request-password-reset', { email });
    const code = await newestCode(realm.service, email, 2);
    const body = { email, code, password: 'N3w-password!' };
    expect((await post(realm.service, '/auth/reset-password', body)).status).toBe(200);
    await notice(email, 'Your password was changed');
  });

  it('announce a first password, and added and removed sign-in methods', async () => {
    const person = await aPerson(realm);
    const browser = new Browser();
    await signIn(realm, 'google', person, browser);
    await signIn(realm, 'oidc', person, browser);
    const joined = await notice(person.email ?? '', 'A sign-in method was connected');
    expect(joined.text).toContain('with Works ID.');
    const token = browser.cookie('localhost', 'access_token') ?? '';
    const password = { password: 'F1rst-password!' };
    const set = await post(realm.service, '/auth/set-password', password).set(bearer(token));
    expect(set.status).toBe(200);
    await notice(person.email ?? '', 'A password was set');
    expect((await unlink(realm, 'google', browser)).status).toBe(200);
    const gone = await notice(person.email ?? '', 'A sign-in method was disconnected');
    expect(gone.text).toContain('with Google.');
  });

  it('announce a requested link, but no rejected request', async () => {
    const account = await aVerifiedAccount(realm.service);
    const person = await aPerson(realm, { email: account.email });
    const browser = new Browser();
    expect((await link(realm, 'google', person, account.accessToken, browser)).status).toBe(302);
    await notice(account.email, 'A sign-in method was connected');
    const again = await link(realm, 'google', person, account.accessToken);
    expect(again.status).toBe(409);
    const set = await post(realm.service, '/auth/set-password', {
      password: 'F1rst-password!',
    }).set(bearer(account.accessToken));
    expect(set.status).toBe(400);
    expect((await unlink(realm, 'google', browser)).status).toBe(200);
    await notice(account.email, 'A sign-in method was disconnected');
    expect((await me(realm, browser)).auth_providers).toEqual([]);
    expect(mailsTo(realm.service, account.email)).toHaveLength(4);
  });
});

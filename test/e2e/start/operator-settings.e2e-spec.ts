import request from 'supertest';
import { getPage, sendForm } from '../../support/account-pages';
import { anEmail, aKey, aVerifiedAccount, STRONG_PASSWORD } from '../../support/factories/accounts';
import { aLink } from '../../support/factories/links';
import { anAddress, bearer, post, shorten, visit } from '../../support/http';
import { aPerson, type Realm, refusal, signIn, startRealm } from '../../support/oauth/realm';
import { limitsFile } from '../../support/limits';
import { mailsTo } from '../../support/outbox';
import { eventually, type Service, startService } from '../../support/service';

const register = (service: Service, email: string) =>
  post(service, '/auth/register', { email, password: STRONG_PASSWORD });

const page = async (service: Service, path: string): Promise<string> =>
  (await request(service.url).get(path).set('Accept', 'text/html')).text;

const TWO_LINKS = { 'links.create': { anonymous: ['2/minute'] } };

async function expectTwoLinks(service: Service): Promise<void> {
  const address = anAddress();
  const answers = [];
  const body = { long_url: 'https://example.com/' };
  for (let i = 0; i < 3; i++) answers.push(await shorten(service, body, address));
  expect(answers.map(({ status }) => status)).toEqual([201, 201, 429]);
  expect(answers[0]?.get('X-RateLimit-Limit')).toBe('2');
  expect(answers[2]?.body.hint).toContain('60 per minute');
}

describe('SITE_NAME, HOME_URL and LIMITS_FILE', () => {
  let service: Service;
  const home = 'https://example.com/home';
  beforeAll(async () => {
    const off = [
      ...['legacy.shorten', 'auth.request-password-reset'],
      ...['links.password', 'links.password-all'],
    ];
    const limits = { ...TWO_LINKS, ...Object.fromEntries(off.map((name) => [name, 'off'])) };
    const env = { SITE_NAME: 'Ä & B <Links>', HOME_URL: home, LIMITS_FILE: limitsFile(limits) };
    service = await startService({ env });
  });
  afterAll(() => service.stop());

  it('are on every page', async () => {
    const link = await aLink(service);
    for (const path of ['/', '/stats', `/result/${link.alias}`, `/${link.alias}+`, '/nobody']) {
      const text = await page(service, path);
      expect(text).toMatch(/<title>[^<]+ · Ä &amp; B &lt;Links&gt;<\/title>/);
      expect(text).toMatch(new RegExp(`<header class="site">\\s*<a[^>]* href="${home}"`));
      expect(text).not.toContain('Curtail<');
    }
  });

  it('provide a link on pages without other links', async () => {
    expect(await page(service, '/nobody')).toContain(
      `<a class="button" href="${home}">To Ä &amp; B &lt;Links&gt;</a>`,
    );
  });

  it('are in emails, including the sender', async () => {
    const email = anEmail();
    expect((await register(service, email)).status).toBe(201);
    await eventually('the email is there', () => mailsTo(service, email).length > 0);
    const [mail = ''] = mailsTo(service, email);
    expect(mail).toMatch(/^From: =\?UTF-8\?.*<no-reply@localhost>\r$/m);
    const text = mail.replace(/=\r?\n/g, '');
    expect(text).toContain('at =C3=84 & B <Links>:');
    expect(text).toContain('at =C3=84 &amp; B &lt;Links&gt;:');
    expect(mail).not.toContain('Curtail');
  });

  it('set limits', () => expectTwoLinks(service));

  it('disable limits, both for routes and for passwords', async () => {
    const address = anAddress();
    for (let i = 0; i < 7; i++) {
      const asked = await post(service, '/auth/request-password-reset', {
        email: 'nobody@example.com',
      }).set('X-Forwarded-For', address);
      expect([asked.status, asked.get('X-RateLimit-Limit')]).toEqual([200, undefined]);
    }
    const locked = await aLink(service, { password: 'Open-sesame.1' });
    for (let i = 0; i < 11; i++) {
      const wrong = await visit(service, locked.alias, {
        'X-Forwarded-For': address,
        'X-Link-Password': `Wrong-one.${i}`,
      });
      expect([i, wrong.status]).toEqual([i, 401]);
    }
  });
});

describe('LIMITS_FILE with two web processes', () => {
  it('sets limits', async () => {
    const env = { LIMITS_FILE: limitsFile(TWO_LINKS), WEB_CONCURRENCY: '2' };
    const service = await startService({ env });
    await expectTwoLinks(service);
    await service.stop();
  });
});

describe('REGISTRATION', () => {
  describe('closed', () => {
    let realm: Realm;
    beforeAll(async () => (realm = await startRealm({ REGISTRATION: 'closed' })));
    afterAll(() => realm.stop());

    it('rejects registration with a password or through a provider', async () => {
      const answer = await register(realm.service, anEmail());
      expect(answer.status).toBe(403);
      expect(answer.body).toEqual({ error: 'Sign-up is closed', code: 'forbidden' });
      for (const name of ['google', 'oidc'] as const) {
        const refused = await signIn(realm, name, await aPerson(realm));
        expect(refusal(refused)).toEqual([403, 'forbidden']);
        expect(refused.headers.getSetCookie().join()).not.toContain('access_token=ey');
      }
    });

    it('lets existing accounts sign in', async () => {
      const open = await startService({
        database: realm.service.database,
        env: { REGISTRATION: 'open' },
      });
      const email = anEmail();
      const account = await aVerifiedAccount(open, email);
      await open.stop();
      const login = await post(realm.service, '/auth/login', {
        email,
        password: account.password,
      });
      expect(login.status).toBe(200);
      expect((await signIn(realm, 'oidc', await aPerson(realm, { email }))).status).toBe(302);
    });
  });

  describe('for email domains, with ANONYMOUS_LINKS=false', () => {
    let realm: Realm;
    let service: Service;
    beforeAll(async () => {
      const REGISTRATION = 'a.example, Münchén.de, example.com';
      realm = await startRealm({ REGISTRATION, ANONYMOUS_LINKS: 'false' });
      ({ service } = realm);
    });
    afterAll(() => realm.stop());

    it.each(['me@b.example', 'me@sub.a.example', 'me@aa.example', 'a.example@b.example'])(
      'rejects %s',
      async (email) => {
        const answer = await register(service, email);
        expect([answer.status, answer.body.code, answer.body.field]).toEqual([
          403,
          'forbidden',
          'email',
        ]);
        const person = await aPerson(realm, { email });
        expect(refusal(await signIn(realm, 'google', person))).toEqual([403, 'forbidden']);
      },
    );

    it('accepts the listed domains, in any case and script', async () => {
      expect((await register(realm.service, 'me@A.EXAMPLE')).status).toBe(201);
      expect((await register(realm.service, 'me@münchén.de')).status).toBe(201);
      const person = await aPerson(realm, { email: 'you@a.example' });
      expect((await signIn(realm, 'oidc', person)).status).toBe(302);
    });

    const legacy = (path: string, accept: string) =>
      request(service.url)
        .post(path)
        .set({ 'X-Forwarded-For': anAddress(), Accept: accept })
        .type('form')
        .send({ url: 'https://example.com/' });

    it('rejects anonymous links', async () => {
      const answer = await shorten(service, { long_url: 'https://example.com/' });
      expect(answer.status).toBe(403);
      expect(answer.body).toEqual({ error: expect.stringContaining('account'), code: 'forbidden' });
      for (const path of ['/', '/emoji']) {
        const old = await legacy(path, 'application/json');
        expect([old.status, old.get('X-Error-Code')]).toEqual([403, 'forbidden']);
        expect(old.body).toEqual({ UrlError: expect.stringContaining('account') });
        const form = await legacy(path, 'text/html');
        expect([form.status, form.get('Content-Type')]).toEqual([403, 'text/html; charset=utf-8']);
        expect(form.text).toContain('You need an account to create links here');
      }
      const emoji = await request(service.url).get('/emoji?url=https://example.com/');
      expect(emoji.status).toBe(403);
    });

    it('accepts links from accounts, by session and by key, and all visitors may open them', async () => {
      const account = await aVerifiedAccount(service);
      const key = await aKey(service, account, ['shorten:create']);
      for (const token of [account.accessToken, key]) {
        const made = await shorten(service, { long_url: 'https://example.com/' }).set(
          bearer(token),
        );
        expect(made.status).toBe(201);
        expect((await visit(service, made.body.alias as string)).status).toBe(302);
      }
    });

    it('is explained on the home page, in place of the form', async () => {
      const text = await page(service, '/');
      expect(text).toContain('You need an account to create links here');
      expect(text).not.toContain('<form');
    });

    it('shows the form to signed-in visitors', async () => {
      const url = 'https://example.com/';
      const cookie = { Cookie: (await aVerifiedAccount(service)).cookies };
      const stranger = await getPage(service, '/');
      expect(stranger.text).not.toContain('action="/"');
      expect(stranger.text).toContain('href="/login"');
      expect((await getPage(service, '/', cookie)).text).toContain('action="/"');
      expect((await sendForm(service, '/', { url })).status).toBe(403);
      expect((await sendForm(service, '/', { url }, cookie)).status).toBe(302);
    });

    it('lists the allowed email domains', async () => {
      const registration = await getPage(service, '/register');
      expect(registration.text).toContain('@a.example or @xn--mnchn-esa3k.de or @example.com');
      const body = { email: 'me@example.org', password: STRONG_PASSWORD };
      const refused = await sendForm(service, '/register', body);
      expect(refused.status).toBe(403);
      expect(refused.text).toMatch(/<input\s[^>]*name="email"[^>]*aria-invalid="true"/);
    });
  });
});

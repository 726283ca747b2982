import { databaseOf } from '../../support/database';
import { Browser } from '../../support/oauth/browser';
import { type Answer, IdentityProvider, type Person } from '../../support/oauth/identity-provider';
import {
  aPerson,
  me,
  type Name,
  NAMES,
  providerSettings,
  type Realm,
  refusal,
  signIn,
  startRealm,
} from '../../support/oauth/realm';
import { freePort, startService } from '../../support/service';

const FAILED = [500, 'internal_error'];

type Json = Record<string, unknown>;

const answering =
  (body: string, status = 200) =>
  (): Answer => ({ status, body });

const changing =
  (change: (body: Json) => Json) =>
  ({ status, body }: Answer): Answer => ({
    status,
    body: JSON.stringify(change(JSON.parse(body) as Json)),
  });

const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
const parsed = (text = '') => JSON.parse(Buffer.from(text, 'base64url').toString()) as Json;

const forging = (forge: (header: Json, claims: Json, signature: string) => string) =>
  changing((body) => {
    const [header, claims, signature = ''] = String(body.id_token).split('.');
    return { ...body, id_token: forge(parsed(header), parsed(claims), signature) };
  });

describe('A failed sign-in', () => {
  let realm: Realm;
  beforeAll(async () => (realm = await startRealm()));
  afterEach(() => realm.provider.faults.clear());
  afterAll(() => realm.stop());

  /** Expects the sign-in to fail without side effects, and to succeed without the fault. */
  async function expectFailure(name: Name, person: Person): Promise<void> {
    const browser = new Browser();
    const answer = await signIn(realm, name, person, browser);
    expect(refusal(answer)).toEqual(FAILED);
    expect(await answer.text()).not.toContain(realm.provider.issuer);
    expect(browser.cookie('localhost', 'access_token')).toBeUndefined();
    const database = await databaseOf(realm.service);
    expect(await database.collection('accounts').countDocuments({ email: person.email })).toBe(0);
    await database.close();
    realm.provider.faults.clear();
    expect((await signIn(realm, name, person)).status).toBe(302);
  }

  const BROKEN: [string, () => Answer][] = [
    ['a refusal', answering('{"error":"invalid_grant","error_description":"no"}', 400)],
    ['a failure', answering('<html>oops</html>', 500)],
    ['text', answering('access_token=x')],
    ['null', answering('null')],
    ['a list', answering('[]')],
    ['an empty object', answering('{}')],
    ['a redirect', answering('', 302)],
  ];

  describe.each(NAMES)('%s', (name) => {
    it.each(BROKEN)('is 500 if the token endpoint returns %s', async (_, fault) => {
      realm.provider.faults.set('/token', fault);
      await expectFailure(name, await aPerson(realm));
    });

    it.each(BROKEN)('is 500 if the userinfo endpoint returns %s', async (_, fault) => {
      realm.provider.faults.set('/me', fault);
      await expectFailure(name, await aPerson(realm));
    });

    it('is 500 for a code that the provider does not know', async () => {
      const browser = new Browser();
      const start = await browser.request(`${realm.site}/oauth/${name}`);
      const state = new URL(start.headers.get('Location') ?? '').searchParams.get('state') ?? '';
      const query = new URLSearchParams({ state, code: 'made-up' });
      if (name === 'oidc') query.set('iss', realm.provider.issuer);
      const url = `${realm.site}/oauth/${name}/callback?${query.toString()}`;
      expect(refusal(await browser.request(url))).toEqual(FAILED);
    });

    it('is 500 for a code from another person’s sign-in', async () => {
      const [thief, victim] = [new Browser(), new Browser()];
      const person = await aPerson(realm);
      const theirs = await victim.visitProvider(
        await victim.request(`${realm.site}/oauth/${name}`),
        person.sub,
      );
      const start = await thief.request(`${realm.site}/oauth/${name}`);
      const own = new URL(start.headers.get('Location') ?? '').searchParams.get('state') ?? '';
      const injected = new URL(theirs);
      injected.searchParams.set('state', own);
      expect(refusal(await thief.request(injected.href))).toEqual(FAILED);
    });
  });

  it('times out if a provider does not respond', async () => {
    const person = await aPerson(realm);
    const never = () => new Promise<Answer>(() => undefined);
    realm.provider.faults.set('/token', never);
    const answers = await Promise.all(NAMES.map((name) => signIn(realm, name, person)));
    expect(answers.map(refusal)).toEqual([FAILED, FAILED]);
  });

  describe('an ID token', () => {
    const FORGERIES: [string, (header: Json, claims: Json, signature: string) => string][] = [
      ['other claims', (h, c, s) => `${part(h)}.${part({ ...c, email: 'x@example.com' })}.${s}`],
      ['another signature', (h, c, s) => `${part(h)}.${part(c)}.${s.slice(4)}${s.slice(0, 4)}`],
      ['no signature', (h, c) => `${part(h)}.${part(c)}.`],
      ['alg none', (h, c) => `${part({ ...h, alg: 'none' })}.${part(c)}.`],
      ['another algorithm', (h, c, s) => `${part({ ...h, alg: 'HS256' })}.${part(c)}.${s}`],
      ['an unknown key', (h, c, s) => `${part({ ...h, kid: 'other' })}.${part(c)}.${s}`],
      ['another form', () => 'no.token'],
    ];

    it.each(FORGERIES)('is rejected with %s', async (_, forge) => {
      realm.provider.faults.set('/token', forging(forge));
      await expectFailure('oidc', await aPerson(realm));
    });

    it('is rejected if it is missing', async () => {
      realm.provider.faults.set(
        '/token',
        changing((body) => ({ ...body, id_token: undefined })),
      );
      await expectFailure('oidc', await aPerson(realm));
    });

    it('is rejected in a different sign-in', async () => {
      let stolen: unknown;
      realm.provider.faults.set(
        '/token',
        changing((body) => {
          stolen = body.id_token;
          return body;
        }),
      );
      expect((await signIn(realm, 'oidc', await aPerson(realm))).status).toBe(302);
      realm.provider.faults.set(
        '/token',
        changing((body) => ({ ...body, id_token: stolen })),
      );
      await expectFailure('oidc', await aPerson(realm));
    });
  });

  it.each(['someone-else', '', 5, null])('is 500 for userinfo whose sub is %j', async (sub) => {
    const fault = changing((body) => ({ ...body, sub }));
    realm.provider.faults.set('/me', fault);
    await expectFailure('oidc', await aPerson(realm));
    if (sub === 'someone-else') return;
    realm.provider.faults.set('/me', fault);
    await expectFailure('google', await aPerson(realm));
  });

  it('is logged without the code, tokens, secrets and email addresses', async () => {
    const secrets: string[] = [];
    const fault = changing((body) => {
      secrets.push(String(body.access_token), String(body.id_token));
      return { ...body, id_token: `${String(body.id_token)}x` };
    });
    realm.provider.faults.set('/token', fault);
    realm.provider.faults.set('/me', answering('{"error":{"message":"no"}}', 500));
    const person = await aPerson(realm);
    for (const name of NAMES) {
      const browser = new Browser();
      const start = await browser.request(`${realm.site}/oauth/${name}`);
      const callback = await browser.visitProvider(start, person.sub);
      secrets.push(new URL(callback).searchParams.get('code') ?? '');
      secrets.push(new URL(callback).searchParams.get('state') ?? '');
      expect(refusal(await browser.request(callback))).toEqual(FAILED);
    }
    expect(secrets).toHaveLength(8);
    const log = realm.service.log();
    expect(log).toContain('Works <ID>: ');
    expect(log).toContain('Google: ');
    for (const secret of [...secrets, person.email ?? '', person.sub, 'google secret']) {
      expect(secret.length).toBeGreaterThan(10);
      expect(log).not.toContain(secret);
    }
  });
});

describe('An unavailable provider', () => {
  it('does not prevent startup, and works once it is available', async () => {
    const [port, providerPort] = [await freePort(), await freePort()];
    const site = `http://localhost:${port}`;
    const env = providerSettings(`http://127.0.0.1:${providerPort}`);
    const service = await startService({ port, env });
    expect(refusal(await new Browser().request(`${site}/oauth/oidc`))).toEqual(FAILED);
    const options = { port: providerPort, claimsInIdToken: true };
    const provider = await IdentityProvider.start(site, options);
    const realm: Realm = { service, provider, site, stop: () => Promise.resolve() };
    const [browser, person] = [new Browser(), await aPerson(realm)];
    expect((await signIn(realm, 'oidc', person, browser)).status).toBe(302);
    expect(await me(realm, browser)).toMatchObject({ email: person.email, email_verified: true });
    // This provider includes all claims in ID tokens, so no userinfo request is needed.
    expect(provider.asked).toContain('/token');
    expect(provider.asked).not.toContain('/me');
    await service.stop();
    await provider.stop();
  });

  it('does not exist if it is not configured', async () => {
    const service = await startService({
      env: {
        ...providerSettings('http://127.0.0.1:9'),
        OIDC_ISSUER: undefined,
        OIDC_CLIENT_ID: undefined,
        OIDC_CLIENT_SECRET: undefined,
        COOKIE_SECURE: undefined,
      },
    });
    const statusOf = async (path: string) =>
      (await new Browser().request(`${service.url}${path}`)).status;
    const start = await new Browser().request(`${service.url}/oauth/google`);
    expect(start.status).toBe(302);
    expect(start.headers.getSetCookie()[0]).toMatch(
      /^__Host-oauth_browser=[\w-]{43}; Max-Age=600; Path=\/; .*HttpOnly; Secure; SameSite=Lax$/,
    );
    expect(await statusOf('/oauth/oidc')).toBe(404);
    expect(await statusOf('/oauth/oidc/callback?state=x&code=y')).toBe(404);
    await service.stop();
  });
});

import { randomBytes } from 'node:crypto';
import { databaseOf } from '../../support/database';
import { Browser } from '../../support/oauth/browser';
import {
  aPerson,
  callbackOf,
  type Realm,
  refusal,
  signIn,
  startRealm,
} from '../../support/oauth/realm';

const REFUSED = [400, 'validation_error'];

describe('The state of a sign-in', () => {
  let realm: Realm;
  // Start and callback may reach different workers.
  beforeAll(async () => (realm = await startRealm({ WEB_CONCURRENCY: '2' })));
  afterAll(() => realm.stop());

  const stateOf = (callback: string) => new URL(callback).searchParams.get('state') ?? '';

  describe('of any provider', () => {
    const name = 'google';

    it('is used up by the callback', async () => {
      const browser = new Browser();
      const callback = await callbackOf(realm, browser, name, await aPerson(realm));
      expect((await browser.request(callback)).status).toBe(302);
      expect(refusal(await browser.request(callback))).toEqual(REFUSED);
    });

    it('is accepted once for ten concurrent callbacks', async () => {
      const browser = new Browser();
      const callback = await callbackOf(realm, browser, name, await aPerson(realm));
      const answers = await Promise.all(
        Array.from({ length: 10 }, () => browser.request(callback)),
      );
      const statuses = answers.map(({ status }) => status).sort();
      expect(statuses).toEqual([302, ...Array.from({ length: 9 }, () => 400)]);
    });

    it('is rejected in another browser, and stays valid in its own', async () => {
      const [browser, victim] = [new Browser(), new Browser()];
      const callback = await callbackOf(realm, browser, name, await aPerson(realm));
      expect(refusal(await victim.request(callback))).toEqual(REFUSED);
      await victim.request(`${realm.site}/oauth/${name}`);
      expect(refusal(await victim.request(callback))).toEqual(REFUSED);
      expect(victim.cookie('localhost', 'access_token')).toBeUndefined();
      expect((await browser.request(callback)).status).toBe(302);
    });

    it('is rejected after it has expired', async () => {
      const browser = new Browser();
      const callback = await callbackOf(realm, browser, name, await aPerson(realm));
      const database = await databaseOf(realm.service);
      const states = database.collection('oauth_states');
      const [stored] = await states.find().sort({ expires_at: -1 }).limit(1).toArray();
      const seconds = ((stored?.expires_at as Date).getTime() - Date.now()) / 1000;
      expect(seconds).toBeLessThanOrEqual(600);
      await states.updateMany({}, { $set: { expires_at: new Date() } });
      await database.close();
      expect(refusal(await browser.request(callback))).toEqual(REFUSED);
    });

    it('is used up if the provider denies the sign-in', async () => {
      const browser = new Browser();
      const start = await browser.request(`${realm.site}/oauth/${name}`);
      const callback = await browser.refuseAtProvider(start);
      expect(new URL(callback).searchParams.get('error')).toBe('access_denied');
      const answer = await browser.request(callback);
      expect(refusal(answer)).toEqual(REFUSED);
      expect(await answer.text()).toContain('access_denied');
      const late = `${realm.site}/oauth/${name}/callback?code=x&state=${stateOf(callback)}`;
      expect(refusal(await browser.request(late))).toEqual(REFUSED);
    });

    it.each([
      ['an unknown state', () => `?code=x&state=${randomBytes(32).toString('base64url')}`],
      ['an error that is markup', () => '?error=%3Cscript%3E&error_description=%3Cscript%3E'],
      ['a state in brackets', () => '?code=x&state[$ne]=x'],
    ])('returns 400 for a callback with %s', async (_, query) => {
      const browser = new Browser();
      await browser.request(`${realm.site}/oauth/${name}`);
      const answer = await browser.request(`${realm.site}/oauth/${name}/callback${query()}`);
      expect(refusal(answer)).toEqual(REFUSED);
      expect(await answer.text()).not.toContain('<script>');
    });

    it('returns 400 for a callback with a state but no code, or with either of them twice', async () => {
      for (const twist of [
        (url: URL) => url.searchParams.delete('code'),
        (url: URL) => url.searchParams.append('code', 'x'),
        (url: URL) => url.searchParams.append('state', stateOf(url.href)),
      ]) {
        const browser = new Browser();
        const url = new URL(await callbackOf(realm, browser, name, await aPerson(realm)));
        twist(url);
        expect(refusal(await browser.request(url.href))).toEqual(REFUSED);
      }
    });
  });

  it('of one provider is invalid for another', async () => {
    const browser = new Browser();
    const callback = await callbackOf(realm, browser, 'google', await aPerson(realm));
    const crossed = callback.replace('/oauth/google/', '/oauth/oidc/');
    expect(refusal(await browser.request(crossed))).toEqual(REFUSED);
    expect((await browser.request(callback)).status).toBe(302);
  });

  it('allows sign-ins in two tabs of a browser at the same time', async () => {
    const browser = new Browser();
    const person = await aPerson(realm);
    const first = await callbackOf(realm, browser, 'google', person);
    const second = await callbackOf(realm, browser, 'oidc', person);
    expect((await browser.request(first)).status).toBe(302);
    expect((await browser.request(second)).status).toBe(302);
  });

  it('cannot be read from the database, and neither can the verifier and the nonce', async () => {
    const browser = new Browser();
    const start = await browser.request(`${realm.site}/oauth/google`);
    const sent = new URL(start.headers.get('Location') ?? '').searchParams;
    const database = await databaseOf(realm.service);
    const stored = JSON.stringify(await database.collection('oauth_states').find().toArray());
    const indexes = await database.collection('oauth_states').indexes();
    await database.close();
    const mark = browser.cookie('localhost', 'oauth_browser') ?? '';
    for (const secret of [sent.get('state'), sent.get('nonce'), sent.get('code_challenge'), mark]) {
      expect(secret).toHaveLength(43);
      expect(stored).not.toContain(secret);
    }
    expect(indexes).toContainEqual(
      expect.objectContaining({ name: 'expiry', expireAfterSeconds: 0 }),
    );
  });

  it('accepts no malformed cookie', async () => {
    const browser = new Browser();
    const answer = await browser.request(`${realm.site}/oauth/google`, {
      headers: { Cookie: 'oauth_browser=planted' },
    });
    expect(answer.headers.getSetCookie()[0]).toMatch(/^oauth_browser=[\w-]{43};/);
  });

  it('returns an error page to browsers and JSON on request', async () => {
    const url = `${realm.site}/oauth/google/callback`;
    const page = await new Browser().request(url);
    expect(page.headers.get('Content-Type')).toContain('text/html');
    const json = await new Browser().request(url, { headers: { Accept: 'application/json' } });
    expect(await json.json()).toEqual({
      error: expect.any(String),
      code: 'validation_error',
      field: 'state',
    });
  });

  it.each(['github', 'GOOGLE', 'constructor', '%00', 'a%2Fb'])(
    'returns 404 for the provider %s',
    async (name) => {
      for (const path of [`/oauth/${name}`, `/oauth/${name}/callback?state=x&code=y`]) {
        expect(refusal(await new Browser().request(realm.site + path))).toEqual([404, 'not_found']);
      }
    },
  );

  it('counts starts and callbacks per address', async () => {
    const browser = new Browser();
    const statuses: number[] = [];
    for (let i = 0; i < 11; i++) {
      statuses.push((await browser.request(`${realm.site}/oauth/google`)).status);
    }
    expect(statuses).toEqual([...Array.from({ length: 10 }, () => 302), 429]);
    const callbacks: Response[] = [];
    for (let i = 0; i < 21; i++) {
      callbacks.push(await browser.request(`${realm.site}/oauth/google/callback`));
    }
    expect(callbacks.map(({ status }) => status)).toEqual([
      ...Array.from({ length: 20 }, () => 400),
      429,
    ]);
    expect(callbacks[0]?.headers.get('X-RateLimit-Limit')).toBe('20');
    expect(callbacks[20]?.headers.get('Retry-After')).toMatch(/^\d+$/);
  });

  it('counts links and unlinks per account', async () => {
    const browser = new Browser();
    await signIn(realm, 'google', await aPerson(realm), browser);
    const path = `${realm.site}/oauth/providers/oidc/unlink`;
    const asked = { method: 'DELETE', headers: { Origin: realm.site } };
    const [links, unlinks]: [number[], number[]] = [[], []];
    for (let i = 0; i < 6; i++) {
      links.push((await browser.request(`${realm.site}/oauth/oidc/link`)).status);
      unlinks.push((await browser.request(path, asked)).status);
    }
    expect(links).toEqual([302, 302, 302, 302, 302, 429]);
    expect(unlinks).toEqual([404, 404, 404, 404, 404, 429]);
  });
});

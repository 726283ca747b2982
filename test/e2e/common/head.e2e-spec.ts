import mongoose from 'mongoose';
import { PNG } from 'pngjs';
import { aVerifiedAccount, type TestAccount } from '../../support/factories/accounts';
import { storedDomain } from '../../support/factories/domains';
import { aCheckedImport } from '../../support/factories/imports';
import { databaseOf } from '../../support/database';
import { bearer, post } from '../../support/http';
import { eventually } from '../../support/service';
import { isHidden } from '../../../src/common/routes';
import { Browser } from '../../support/oauth/browser';
import { aPerson, callbackOf, type Realm, startRealm } from '../../support/oauth/realm';

interface ApiDescription {
  paths: Record<string, Record<string, unknown>>;
}

const QUERIES: Record<string, string> = {
  '/stats/{code}/download': '?format=json',
  '/emoji': '?url=https://example.com/by-head',
  '/api/v1/shorten/check-alias': '?alias=free-one',
  '/api/v1/stats': '?scope=all',
  '/api/v1/urls/export': '?format=json',
  '/api/v1/export': '?scope=all&format=json',
  '/api/v1/export/links/{url_id}': '?format=json',
};

describe('HEAD', () => {
  let realm: Realm;
  let database: mongoose.Connection;
  let account: TestAccount;
  beforeAll(async () => {
    realm = await startRealm();
    database = await databaseOf(realm.service);
    account = await aVerifiedAccount(realm.service);
  });
  afterAll(async () => {
    await database.close();
    await realm.stop();
  });

  async function everything(): Promise<Record<string, string[]>> {
    const found: Record<string, string[]> = {};
    for (const { name } of await database.listCollections()) {
      // Skips this collection, in which the recorder renews its lease every few seconds.
      if (name === 'nodes') continue;
      const documents = await database.collection(name).find().toArray();
      found[name] = documents.map((document) => JSON.stringify(document)).sort();
    }
    return found;
  }

  async function anExport(): Promise<string> {
    const auth = bearer(account.accessToken);
    const route = '/api/v1/account/exports';
    const made = await post(realm.service, route, {}).set(auth);
    const { id } = made.body as { id: string };
    await eventually('the export is done', async () => {
      const found = await fetch(`${realm.service.url}${route}/${id}`, { headers: auth });
      return ((await found.json()) as { state: string }).state === 'done';
    });
    return id;
  }

  it('changes nothing on any route that supports GET', async () => {
    const made = await post(realm.service, '/api/v1/shorten', {
      long_url: 'https://example.com/head',
      private_stats: false,
    }).set(bearer(account.accessToken));
    const logo = await fetch(`${realm.service.url}/api/v1/qr/logo`, {
      method: 'PUT',
      headers: { ...bearer(account.accessToken), 'Content-Type': 'image/png' },
      body: Uint8Array.from(PNG.sync.write(new PNG({ width: 32, height: 32 }))),
    });
    expect(logo.status).toBe(200);
    const { id, alias } = made.body as { id: string; alias: string };
    const values: Record<string, string> = {
      code: alias,
      alias,
      domain: 'localhost',
      url_id: id,
      id: await anExport(),
      import_id: await aCheckedImport(realm.service, account),
      domain_id: await storedDomain(realm.service, account, 'head.example.com'),
      provider: 'google',
      format: 'json',
    };
    const description = (await (
      await fetch(`${realm.service.url}/openapi.json`)
    ).json()) as ApiDescription;
    const paths = Object.entries(description.paths)
      .filter(([, methods]) => 'get' in methods)
      .filter(([path]) => !isHidden(path))
      .map(([path]) => path);
    // Includes routes on which a GET would have side effects.
    expect(paths).toEqual(
      expect.arrayContaining(['/emoji', '/oauth/{provider}', '/oauth/{provider}/link', '/{code}']),
    );
    const before = await everything();
    const answers: Record<string, number> = {};
    for (const path of paths) {
      const named = path
        .replace('/custom-domains/{id}', '/custom-domains/{domain_id}')
        .replace('/imports/{id}', '/imports/{import_id}');
      const filled = named.replace(/\{(\w+)\}/g, (_, name: string) => values[name] ?? name);
      const url = `${realm.service.url}${filled}${QUERIES[path] ?? ''}`;
      const { status } = await fetch(url, {
        method: 'HEAD',
        redirect: 'manual',
        headers: bearer(account.accessToken),
      });
      answers[path] = status;
    }
    expect(await everything()).toEqual(before);
    expect(answers['/{code}']).toBe(302);
    expect(answers['/api/v1/urls']).toBe(200);
    expect(answers['/emoji']).toBe(405);
    // No request failed too early to have side effects.
    const failed = Object.entries(answers).filter(([, status]) => status >= 400 && status !== 405);
    expect(failed).toEqual([]);
  });

  it('returns the allowed methods of /emoji, while GET still works', async () => {
    const url = `${realm.service.url}/emoji?url=https://example.com/by-get`;
    const refused = await fetch(url, { method: 'HEAD', redirect: 'manual' });
    expect([refused.status, refused.headers.get('Allow')]).toEqual([405, 'GET, POST']);
    expect((await fetch(url, { redirect: 'manual' })).status).toBe(302);
  });

  it('does not use up a sign-in that is in progress', async () => {
    const browser = new Browser();
    const person = await aPerson(realm);
    const callback = await callbackOf(realm, browser, 'google', person);
    const looked = await browser.request(callback, { method: 'HEAD' });
    expect([looked.status, looked.headers.getSetCookie()]).toEqual([405, []]);
    expect((await browser.request(callback)).status).toBe(302);
    expect(browser.cookie('localhost', 'access_token')).toBeDefined();
  });
});

import type { Connection } from 'mongoose';
import request from 'supertest';
import { getPage, sendForm } from '../../support/account-pages';
import { ApiClient } from '../../support/api-client';
import { startWithDatabase } from '../../support/database';
import { anAccount, aVerifiedAccount, type TestAccount } from '../../support/factories/accounts';
import { anAddress, cookieValue, post } from '../../support/http';
import type { Service } from '../../support/service';

const DESTINATION = 'https://example.com/spring';

describe('pages for signed-in visitors', () => {
  let service: Service;
  let database: Connection;
  let stop: () => Promise<void>;
  let account: TestAccount;
  let cookie: Record<string, string>;
  beforeAll(async () => {
    ({ service, database, stop } = await startWithDatabase());
    account = await aVerifiedAccount(service);
    cookie = { Cookie: account.cookies };
  });
  afterAll(() => stop());

  const get = (path: string, headers: Record<string, string> = {}) =>
    getPage(service, path, headers);
  const shorten = (fields: object, headers: Record<string, string> = cookie, path = '/') =>
    sendForm(service, path, { url: DESTINATION, ...fields }, headers);
  const linkOf = (answer: request.Response) =>
    database.collection('links').findOne({
      alias: decodeURIComponent((answer.headers.location as string).replace('/result/', '')),
    });

  it('have a header with the account, links and a sign-out button', async () => {
    const { alias } = await ApiClient.on(service).then((owner) =>
      owner.aLink({ private_stats: false }),
    );
    for (const path of ['/', `/result/${alias}`, `/${alias}+`, '/stats', `/stats/${alias}`]) {
      const [stranger, owner] = await Promise.all([get(path), get(path, cookie)]);
      expect([path, stranger.status, owner.status]).toEqual([path, 200, 200]);
      expect(stranger.text).toContain('href="/login"');
      expect(stranger.text).not.toContain('/dashboard');
      expect(owner.text).toContain(account.email);
      expect(owner.text).toContain('action="/dashboard/logout"');
      expect(owner.text).not.toContain('href="/login"');
    }
  });

  it('recognise a browser whose access token has expired', async () => {
    const refresh = `refresh_token=${cookieValue(account.cookies, 'refresh_token')}`;
    expect((await get('/', { Cookie: refresh })).text).toContain(account.email);
    const made = await shorten({}, { Cookie: refresh });
    expect(String((await linkOf(made))?.owner)).toBe(account.userId);
  });

  it('create links that belong to the account, with its settings', async () => {
    const answer = await shorten({
      url: 'example.com/spring',
      alias: 'spring-of-mine',
      'private-stats': 'on',
      'expires-in': '3600',
    });
    expect([answer.status, answer.headers.location]).toEqual([302, '/result/spring-of-mine']);
    const link = await linkOf(answer);
    expect(link).toMatchObject({
      long_url: DESTINATION,
      private_stats: true,
      generation: 'v2',
      expire_after: expect.any(Date),
    });
    expect(String(link?.owner)).toBe(account.userId);
    expect(await linkOf(await shorten({}))).toMatchObject({ private_stats: false });
    const emoji = await linkOf(await shorten({}, cookie, '/emoji'));
    expect(String(emoji?.owner)).toBe(account.userId);
  });

  it('create no link after the session has ended, neither owned nor anonymous', async () => {
    const { cookies } = await aVerifiedAccount(service);
    const ended = await post(service, '/auth/logout').set('Cookie', cookies);
    expect(ended.status).toBe(200);
    const url = 'https://example.com/not-to-be-made';
    for (const path of ['/', '/emoji']) {
      const answer = await shorten({ url, alias: 'not-to-be-made' }, { Cookie: cookies }, path);
      expect([path, answer.status]).toEqual([path, 401]);
      expect(answer.text).toContain('The session has ended; sign in again.');
      expect(answer.text).toContain('href="/login"');
      expect(answer.text).toContain(`value="${url}"`);
    }
    expect(await database.collection('links').countDocuments({ long_url: url })).toBe(0);
  });

  it('count links together with those of the API, not by client address', async () => {
    const owner = await ApiClient.on(service);
    const headers = { Cookie: owner.account.cookies, 'X-Forwarded-For': anAddress() };
    for (let i = 0; i < 6; i++) expect((await shorten({}, headers)).status).toBe(302);
    const byApi = await owner.call('post', '/api/v1/shorten', { long_url: DESTINATION });
    expect(byApi.headers['x-ratelimit-limit']).toBe('60');
    expect(byApi.headers['x-ratelimit-remaining']).toBe('53');
  });

  it('say that the account has created too many links, and keep the input', async () => {
    const { cookies } = await aVerifiedAccount(service);
    const headers = { Cookie: cookies };
    await Promise.all(Array.from({ length: 60 }, () => shorten({}, headers)));
    const answer = await shorten({ alias: 'kept-alias' }, headers);
    expect(answer.status).toBe(429);
    expect(answer.text).toMatch(/by your account\. Try again in \d+ seconds?\./);
    expect(answer.text).toContain('value="kept-alias"');
    expect(answer.text).not.toContain('For programs');
  });

  it('require a verified address first', async () => {
    const { cookies } = await anAccount(service);
    expect((await get('/', { Cookie: cookies })).text).toContain('href="/register/verify"');
    const answer = await shorten({ alias: 'not-yet' }, { Cookie: cookies });
    expect([answer.status, answer.headers['x-error-code']]).toEqual([403, 'email_not_verified']);
    expect(answer.text).toContain('value="not-yet"');
    expect(answer.text).toContain('href="/register/verify"');
    expect(await database.collection('links').findOne({ alias: 'not-yet' })).toBeNull();
  });

  it('create anonymous links for programs, other sites and signed-out visitors', async () => {
    const program = await request(service.url)
      .post('/')
      .type('form')
      .set({ ...cookie, Accept: 'application/json', 'X-Forwarded-For': anAddress() })
      .send({ url: DESTINATION, 'private-stats': 'on', alias: 'by-a-program' });
    expect(program.status).toBe(200);
    await shorten({ alias: 'by-another' }, { ...cookie, Origin: 'https://evil.example' });
    await shorten({ alias: 'by-nobody', 'private-stats': 'on' }, {});
    const byQuery = await get(`/emoji?url=${encodeURIComponent(DESTINATION)}`, cookie);
    expect([byQuery.status, (await linkOf(byQuery))?.owner]).toEqual([302, null]);
    for (const alias of ['by-a-program', 'by-another', 'by-nobody']) {
      const link = await database.collection('links').findOne({ alias });
      expect([alias, link?.owner, link?.private_stats]).toEqual([alias, null, false]);
    }
  });

  it('keep the choice of private statistics after an error', async () => {
    const isChecked = async (fields: object) => {
      const { text } = await shorten({ alias: 'stats', ...fields });
      return /id="private-stats"[^>]*checked/.test(text);
    };
    expect(await isChecked({ 'private-stats': 'on' })).toBe(true);
    expect(await isChecked({})).toBe(false);
    expect((await get('/', cookie)).text).toMatch(/id="private-stats"[^>]*checked/);
    expect((await get('/')).text).not.toContain('private-stats');
  });

  it('show private statistics and their files only to the owner', async () => {
    const owner = await ApiClient.on(service);
    const { alias } = await owner.aLink({ private_stats: true, password: 'tulips@2030' });
    const mine = { Cookie: owner.account.cookies };
    const page = await get(`/stats/${alias}`, mine);
    expect(page.status).toBe(200);
    expect(page.text).toContain('only you can see this page');
    expect(page.headers['cache-control']).toBe('no-store');
    const file = await get(`/stats/${alias}/download?format=json`, mine);
    expect([file.status, file.type]).toEqual([200, 'application/json']);
    expect((await get(`/stats/${alias}?range=never`, mine)).status).toBe(422);
    for (const headers of [{}, cookie]) {
      expect((await get(`/stats/${alias}`, headers)).status).toBe(404);
      expect((await get(`/stats/${alias}/download?format=json`, headers)).status).toBe(404);
    }
    const json = await request(service.url)
      .post(`/stats/${alias}`)
      .set({ ...mine, Accept: 'application/json', 'X-Forwarded-For': anAddress() });
    expect(json.status).toBe(404);
  });

  it('show copy, QR code, open and statistics after shortening, in this order', async () => {
    const made = await shorten({ 'private-stats': 'on' });
    const path = made.headers.location as string;
    const ways = (text: string) =>
      [...text.matchAll(/<button id="copy"|<a class="button quiet" href="([^"]*)"/g)].map(
        ([all, href]) => href ?? all,
      );
    const code = path.replace('/result', '');
    expect(ways((await get(path, cookie)).text)).toEqual([
      '<button id="copy"',
      `${code}/qr.svg`,
      code,
      `/stats${code}`,
    ]);
    const link = await linkOf(made);
    expect((await get(path, cookie)).text).toContain(`/dashboard/links/${String(link?._id)}`);
    const stranger = await get(path);
    expect(ways(stranger.text)).toEqual(['<button id="copy"', `${code}/qr.svg`, code]);
    expect(stranger.text).not.toContain('/dashboard');
  });
});

import { randomInt } from 'node:crypto';
import request from 'supertest';
import { STRONG_PASSWORD } from '../../support/factories/accounts';
import { aLink, type MadeLink } from '../../support/factories/links';
import { anAddress, visit } from '../../support/http';
import { ApiClient } from '../../support/api-client';
import { eventually, type Service, startService } from '../../support/service';

const PASSWORD = 'Geheim1@x';
const hex = () => randomInt(1, 65_536).toString(16);
/** A random /64 prefix. */
const aNetwork = () => `2001:db8:${hex()}:${hex()}`;

describe('The identity of a client', () => {
  let service: Service;
  beforeAll(async () => {
    // Two workers share the primary's rate-limit windows.
    service = await startService({ env: { TRUST_PROXY: '1', WEB_CONCURRENCY: '2' } });
  });
  afterAll(() => service.stop());

  const login = async (from: string): Promise<number> =>
    (
      await request(service.url)
        .post('/auth/login')
        .set('X-Forwarded-For', from)
        .send({ email: `${hex()}${hex()}@example.com`, password: STRONG_PASSWORD })
    ).status;

  async function logins(addresses: string[]): Promise<number[]> {
    const statuses: number[] = [];
    for (const address of addresses) statuses.push(await login(address));
    return statuses;
  }

  const FIVE_THEN_NONE = [401, 401, 401, 401, 401, 429];

  it('is the first 64 bits of an IPv6 address', async () => {
    const network = aNetwork();
    const addresses = Array.from({ length: 6 }, (_, i) => `${network}:${hex()}::${i + 1}`);
    expect(await logins(addresses)).toEqual(FIVE_THEN_NONE);
    expect(await login(`${aNetwork()}::1`)).toBe(401);
  });

  it('is the same for every notation of an address', async () => {
    const [a, b] = [hex().padStart(4, '0'), hex().padStart(4, '0')];
    expect(
      await logins([
        `2001:db8:${a}:${b}::1`,
        `2001:0DB8:${a.toUpperCase()}:${b.toUpperCase()}:0:0:0:1`,
        `2001:db8:${a}:${b}:1:2:192.0.2.1`,
        `[2001:db8:${a}:${b}::7]:4711`,
        `2001:db8:${a}:${b}::1%eth0`,
        `2001:db8:${a}:${b}::9`,
      ]),
    ).toEqual(FIVE_THEN_NONE);
  });

  it('is the same for an IPv4 address in IPv4-mapped form', async () => {
    const address = anAddress();
    const [a = 0, b = 0, c = 0, d = 0] = address.split('.').map(Number);
    const halves = [(a << 8) | b, (c << 8) | d].map((half) => half.toString(16)).join(':');
    expect(
      await logins([
        address,
        `::ffff:${address}`,
        `::FFFF:${halves}`,
        `0:0:0:0:0:ffff:${address}`,
        `${address}:4711`,
        `64:ff9b::${halves}`,
      ]),
    ).toEqual(FIVE_THEN_NONE);
  });

  it('does not change because of text that is not an address', async () => {
    const made = Array.from({ length: 6 }, (_, i) => `made up ${hex()} ${i}`);
    expect(await logins(made)).toEqual(FIVE_THEN_NONE);
  });

  const visits = async (addresses: string[]): Promise<unknown> => {
    const link = await aLink(service);
    for (const from of addresses) {
      const headers = { 'X-Forwarded-For': from, 'User-Agent': 'Firefox/140.0' };
      expect((await visit(service, link.alias, headers)).status).toBe(302);
    }
    const figures = async (): Promise<unknown> => {
      const answer = await request(service.url)
        .get(`/api/v1/public/stats/${link.alias}`)
        .set('X-Forwarded-For', anAddress());
      const { total_clicks, unique_clicks } = answer.body.stats.summary;
      return { total_clicks, unique_clicks };
    };
    await eventually('the clicks are stored', async () =>
      JSON.stringify(await figures()).includes(`"total_clicks":${addresses.length}`),
    );
    return figures();
  };

  it('is the whole address when visitors are counted', async () => {
    const network = aNetwork();
    const addresses = ['1', '2', '2'].map((end) => `${network}::${end}`);
    expect(await visits(addresses)).toEqual({ total_clicks: 3, unique_clicks: 2 });
  });

  it('is one visitor for every notation that proxies use', async () => {
    const address = `${aNetwork()}::a`;
    const six = [
      address,
      address.toUpperCase(),
      address.replace('::', ':0:0:0:'),
      address.replace('::', ':0000::000'),
      `${address}%eth0`,
      `[${address}]`,
      `[${address.toUpperCase()}]:4711`,
    ];
    expect(await visits(six)).toEqual({ total_clicks: six.length, unique_clicks: 1 });
    const four = ['198.51.100.7', '::FFFF:198.51.100.7', '::ffff:c633:6407', '198.51.100.7:80'];
    const mapped = [...four, '0:0:0:0:0:ffff:198.51.100.7', '[::ffff:C633:6407]:80'];
    expect(await visits(mapped)).toEqual({ total_clicks: mapped.length, unique_clicks: 1 });
  });

  describe('a client that tries link passwords', () => {
    const guess = (link: MadeLink, from: string, password = 'wrong') =>
      visit(service, link.alias, { 'X-Forwarded-For': from, 'X-Link-Password': password });

    it('has 10 attempts a minute per link from a whole /64 network', async () => {
      const link = await aLink(service, { password: PASSWORD });
      const network = aNetwork();
      for (let i = 0; i < 10; i++) {
        expect((await guess(link, `${network}::${i + 1}`)).status).toBe(401);
      }
      expect((await guess(link, `${network}::ffff`)).status).toBe(429);
      expect((await guess(link, `${aNetwork()}::1`, PASSWORD)).status).toBe(302);
    });

    it('has 30 attempts a minute for all links, and a rejected attempt is not counted', async () => {
      const links = await Promise.all(
        Array.from({ length: 5 }, () => aLink(service, { password: PASSWORD })),
      );
      const from = anAddress();
      for (let i = 0; i < 30; i++) {
        const link = links[i % 4];
        if (link !== undefined) expect((await guess(link, from)).status).toBe(401);
      }
      const fresh = links[4];
      if (fresh === undefined) throw new Error('a link is missing');
      const refused = await guess(fresh, from, PASSWORD);
      expect(refused.status).toBe(429);
      expect(refused.headers).toMatchObject({
        'x-ratelimit-limit': '30',
        'x-ratelimit-remaining': '0',
        'retry-after': expect.stringMatching(/^[1-9]\d*$/),
      });
      expect((await guess(fresh, anAddress(), PASSWORD)).status).toBe(302);
    });

    it('is counted in no window of the route for a rejected attempt', async () => {
      const link = await aLink(service, { password: PASSWORD });
      const from = anAddress();
      const ask = (body: object) =>
        request(service.url)
          .post(`/api/v1/public/stats/${link.alias}`)
          .set('X-Forwarded-For', from)
          .send(body);
      for (let i = 0; i < 10; i++) expect((await ask({ password: 'wrong' })).status).toBe(401);
      for (let i = 0; i < 10; i++) expect((await ask({ password: 'wrong' })).status).toBe(429);
      // Ten of the twenty requests per minute remain.
      const last = await ask({});
      expect([last.status, last.get('X-RateLimit-Remaining')]).toEqual([401, '9']);
    });
  });
});

describe('An API key', () => {
  let service: Service;
  beforeAll(async () => (service = await startService()));
  afterAll(() => service.stop());

  it('does not prevent its owner from revoking it or creating another key', async () => {
    const owner = await ApiClient.on(service);
    const thief = await owner.withKey('shorten:create');
    const { keys } = (await owner.call('get', '/api/v1/keys')).body as { keys: { id: string }[] };
    const [key] = keys;
    const nowhere = `/api/v1/keys/${'0'.repeat(24)}`;
    for (let i = 0; i < 30; i++) {
      expect((await thief.call('delete', nowhere)).status).toBe(403);
    }
    expect((await thief.call('delete', nowhere)).status).toBe(429);
    for (let i = 0; i < 5; i++) {
      expect((await thief.call('post', '/api/v1/keys', {})).status).toBe(403);
    }
    expect((await thief.call('post', '/api/v1/keys', {})).status).toBe(429);
    const another = { name: 'another', scopes: ['urls:read'] };
    expect((await owner.call('post', '/api/v1/keys', another)).status).toBe(201);
    const revoked = await owner.call('delete', `/api/v1/keys/${key?.id ?? ''}?revoke=true`);
    expect([revoked.status, revoked.body.action]).toEqual([200, 'revoked']);
  });

  it('shares the account’s limit on routes that accept keys', async () => {
    const owner = await ApiClient.on(service);
    const key = await owner.withKey('shorten:create');
    const first = await key.call('post', '/api/v1/shorten', {});
    const second = await owner.call('post', '/api/v1/shorten', {});
    expect([first, second].map((answer) => answer.get('X-RateLimit-Remaining'))).toEqual([
      '59',
      '58',
    ]);
  });
});

import { ApiClient } from '../../support/api-client';
import { aBlocklist } from '../../support/factories/blocklist';
import { databaseOf } from '../../support/database';
import { DnsServer } from '../../support/dns-server';
import { visit } from '../../support/http';
import { limitsFile } from '../../support/limits';
import { OwnEngine } from '../../support/own-engine';
import { mailsTo } from '../../support/outbox';
import { eventually, freePort, type Service, startService } from '../../support/service';

const DOMAINS = '/api/v1/custom-domains';
const UNLIMITED = Object.fromEntries(
  ['create', 'update', 'read', 'list', 'delete', 'remove'].map((row) => [`domains.${row}`, 'off']),
);
const UNKNOWN_ID = '0123456789abcdef01234567';

interface Domain {
  readonly id: string;
  readonly fqdn: string;
  readonly status: string;
  readonly dns_records: {
    type: string;
    name: string;
    value: string;
    purpose: string;
    state: string | null;
    found: string[];
  }[];
  readonly setup_notes: string[];
  readonly last_verification_error: string | null;
  readonly last_verified_at: string | null;
  readonly is_default: boolean;
  readonly links: number;
}

describe('Custom domains', () => {
  let dns: DnsServer;
  let service: Service;
  let owner: ApiClient;
  let askPort: number;
  beforeAll(async () => {
    dns = await DnsServer.start();
    askPort = await freePort();
    service = await startService({
      env: {
        DNS_SERVERS: dns.address,
        TLS_ASK_ADDRESS: `127.0.0.1:${askPort}`,
        BASE_URL: 'http://go.curtail.example',
        BLOCKED_URLS_FILE: aBlocklist('blocked'),
        LIMITS_FILE: limitsFile(UNLIMITED),
      },
    });
    owner = await ApiClient.on(service);
  });
  afterAll(async () => {
    await service.stop();
    dns.stop();
  });

  let count = 0;
  const aName = (): string => `d${count++}.example.com`;

  const add = async (fqdn = aName(), client = owner): Promise<Domain> => {
    const answer = await client.call('post', DOMAINS, { fqdn });
    expect([answer.status, answer.body.fqdn]).toEqual([201, fqdn]);
    return answer.body as Domain;
  };
  const proofOf = ({ dns_records }: Domain): string =>
    dns_records.find(({ purpose }) => purpose === 'ownership')?.value ?? '';
  const verify = async ({ id }: Domain, client = owner): Promise<Domain> => {
    const answer = await client.call('post', `${DOMAINS}/${id}/verify`);
    expect(answer.status).toBe(200);
    return answer.body as Domain;
  };
  const show = async ({ id }: Domain, client = owner): Promise<Domain> =>
    (await client.call('get', `${DOMAINS}/${id}`)).body as Domain;
  /** The domain-check limit allows an account ten active domains per minute. */
  const anActive = async (client: ApiClient, fqdn = aName()): Promise<Domain> => {
    const domain = await add(fqdn, client);
    dns.prove(fqdn, proofOf(domain));
    const active = await verify(domain, client);
    expect(active.status).toBe('active');
    return active;
  };
  const ask = async (name: string | null, port = askPort): Promise<number> => {
    const query = name === null ? '' : `?domain=${encodeURIComponent(name)}`;
    return (await fetch(`http://127.0.0.1:${port}/ask${query}`)).status;
  };
  const change = (domain: Domain, body: object, client = owner) =>
    client.call('patch', `${DOMAINS}/${domain.id}`, body);

  describe('are added', () => {
    it('as pending, with the required records', async () => {
      const domain = await add();
      expect(domain).toMatchObject({
        status: 'pending',
        verification_method: 'txt_challenge',
        last_verified_at: null,
        last_verification_error: null,
        is_default: false,
        app_links: null,
        links: 0,
      });
      expect(domain.dns_records).toEqual([
        {
          type: 'TXT',
          name: `_curtail.${domain.fqdn}`,
          value: expect.stringMatching(/^curtail-verify=[\da-f]{32}$/),
          purpose: 'ownership',
          ...{ state: null, found: [] },
        },
        {
          type: 'CNAME',
          name: domain.fqdn,
          value: 'go.curtail.example',
          purpose: 'traffic',
          ...{ state: null, found: [] },
        },
      ]);
      expect(await show(domain)).toEqual(domain);
    });

    it.each([['MÜNCHEN.Example.', 'xn--mnchen-3ya.example']])(
      'as %s, stored as %s',
      async (given, fqdn) => {
        const client = await ApiClient.on(service);
        const answer = await client.call('post', DOMAINS, { fqdn: given });
        expect([answer.status, answer.body.fqdn]).toEqual([201, fqdn]);
      },
    );

    it.each(['https://links.example.com', 'go.curtail.example', 'below.go.curtail.example'])(
      'but not as %s',
      async (fqdn) => {
        const answer = await owner.call('post', DOMAINS, { fqdn });
        expect([answer.status, answer.body.field]).toEqual([400, 'fqdn']);
      },
    );

    it('at most twenty times per account, even concurrently, and each name once', async () => {
      const client = await ApiClient.on(service);
      const names = Array.from({ length: 22 }, aName);
      const answers = await Promise.all(
        names.map((fqdn) => client.call('post', DOMAINS, { fqdn })),
      );
      const made = answers.filter(({ status }) => status === 201);
      expect(made).toHaveLength(20);
      expect(answers.filter(({ status }) => status === 400)).toHaveLength(2);
      const { fqdn } = made[0]?.body as Domain;
      expect((await client.call('post', DOMAINS, { fqdn })).status).toBe(409);
      const page = await client.call('get', `${DOMAINS}?page=3&pageSize=8`);
      expect(page.body).toMatchObject({ page: 3, pageSize: 8, total: 20, hasNext: false });
      expect(page.body.items).toHaveLength(4);
      expect((await client.call('get', `${DOMAINS}?pageSize=101`)).status).toBe(422);
    });
  });

  describe('are verified by their TXT record', () => {
    it.each([
      ['alone', (text: string) => [[text]]],
      ['in pieces', (text: string) => [[text.slice(0, 9), text.slice(9)]]],
      ['among others, with spaces', (text: string) => [['v=spf1 -all'], [` ${text}\t`]]],
      ['with quotes that a panel has stored', (text: string) => [[`"${text}"`]]],
      ['among 99 others over TCP', (text: string) => [...others(99), [text]]],
    ])('%s', async (_, txt) => {
      const client = await ApiClient.on(service);
      const domain = await add(aName(), client);
      dns.records.set(`_curtail.${domain.fqdn}`, { txt: txt(proofOf(domain)) });
      const checked = await verify(domain, client);
      expect(checked).toMatchObject({ status: 'active', last_verification_error: null });
      expect(checked.last_verified_at).not.toBeNull();
    });

    it('through seven other names, but not through eight', async () => {
      const client = await ApiClient.on(service);
      for (const [length, status] of [
        [7, 'active'],
        [8, 'pending'],
      ] as const) {
        const domain = await add(aName(), client);
        const names = Array.from({ length: length + 1 }, (_, i) => `c${i}.${domain.fqdn}`);
        names[0] = `_curtail.${domain.fqdn}`;
        names.forEach((name, i) => {
          const cname = names[i + 1];
          dns.records.set(name, cname === undefined ? { txt: [[proofOf(domain)]] } : { cname });
        });
        expect((await verify(domain, client)).status).toBe(status);
      }
    });

    it.each([
      ['There is no TXT record', null],
      ['There is no TXT record', { a: ['192.0.2.1'] }],
      [
        'does not have the required value',
        { txt: [['""curtail-verify=0123456789abcdef0123456789abcdef""']] },
      ],
      [
        'does not have the required value',
        { txt: [['curtail-verify=0123456789abcdef0123456789abcdef'], ['x']] },
      ],
      ['did not answer the query', { silent: true }],
      ['did not answer the query', { txt: [...Array.from({ length: 101 }, () => ['x'])] }],
    ] as const)('and stay unchanged when the record %s: %j', async (words, records) => {
      const client = await ApiClient.on(service);
      const domain = await add(aName(), client);
      const name = `_curtail.${domain.fqdn}`;
      if (records !== null) dns.records.set(name, records);
      const checked = await verify(domain, client);
      expect(checked).toMatchObject({ status: 'pending', last_verified_at: null });
      expect(checked.last_verification_error).toContain(words);
      expect(checked.last_verification_error).toContain(name);
    });

    it('with any addresses, and with notes about the addresses', async () => {
      const client = await ApiClient.on(service);
      dns.records.set('go.curtail.example', { a: ['203.0.113.1'] });
      const right = await add(aName(), client);
      dns.records.set(right.fqdn, { a: ['203.0.113.1'] });
      const wrong = await add(aName(), client);
      dns.records.set(wrong.fqdn, { a: ['127.0.0.1'] });
      const notes = async (domain: Domain) => (await verify(domain, client)).setup_notes.join(' ');
      expect(await notes(right)).toContain(
        '203.0.113.1, which is an address of go.curtail.example',
      );
      expect(await notes(wrong)).toContain('127.0.0.1, not only to go.curtail.example');
      const { dns_records, setup_notes } = await show(wrong, client);
      expect(setup_notes.join(' ')).toContain('Host');
      expect(dns_records).toMatchObject([
        { type: 'TXT', state: 'missing', found: [] },
        { type: 'CNAME', state: 'wrong', found: ['127.0.0.1'] },
      ]);
    });

    it('at most ten times a minute', async () => {
      const client = await ApiClient.on(service);
      const domain = await add(aName(), client);
      for (let i = 0; i < 10; i++) await verify(domain, client);
      const answer = await client.call('post', `${DOMAINS}/${domain.id}/verify`);
      expect(answer.status).toBe(429);
    });
  });

  it('only if they belong to the caller', async () => {
    const stranger = await ApiClient.on(service);
    const { id } = await add();
    for (const [method, path] of [
      ['get', ''],
      ['post', '/verify'],
      ['patch', ''],
      ['delete', ''],
      ['delete', '/permanent'],
    ] as const) {
      const status = async (which: string) =>
        (
          await stranger.call(
            method,
            `${DOMAINS}/${which}${path}`,
            method === 'patch' ? {} : undefined,
          )
        ).status;
      expect([await status('nonsense'), await status(UNKNOWN_ID), await status(id)]).toEqual([
        400, 404, 404,
      ]);
    }
  });

  describe('that are active', () => {
    let client: ApiClient;
    let domain: Domain;
    beforeAll(async () => {
      client = await ApiClient.on(service);
      domain = await anActive(client);
    });

    it('accept settings, and return them', async () => {
      const settings = {
        root_redirect: 'https://example.org/',
        not_found_redirect: `https://example.org/${'x'.repeat(2028)}`,
        custom_robots_txt: 'User-agent: *\nDisallow: /',
        app_links: { apple: { applinks: { 'a.b': 1 } }, android: [{ $a: '<' }] },
      };
      const changed = await change(domain, settings, client);
      expect(changed.body).toMatchObject({ ...settings, fqdn: domain.fqdn });
      const cleared = await change(domain, { root_redirect: null, app_links: null }, client);
      expect(cleared.body).toMatchObject({
        ...settings,
        root_redirect: null,
        app_links: null,
      });
    });

    it.each([
      ['root_redirect', 'ftp://example.org', 400],
      ['root_redirect', 'javascript:alert(1)', 400],
      ['not_found_redirect', 'example.org', 400],
      ['not_found_redirect', 'http://go.curtail.example/x', 400],
      ['root_redirect', 'https://example.org/blocked', 400],
      ['root_redirect', 5, 422],
      ['app_links', { android: ['x'.repeat(16_384)] }, 422],
    ])('reject %s=%j', async (field, value, status) => {
      const answer = await change(domain, { [field]: value }, client);
      expect([answer.status, answer.body.field]).toEqual([status, field]);
    });

    it('cannot redirect to another domain of this service', async () => {
      for (const url of [`https://${domain.fqdn}/`, `http://${domain.fqdn.toUpperCase()}.:80/x`]) {
        const answer = await change(domain, { root_redirect: url }, client);
        expect([answer.status, answer.body.field]).toEqual([400, 'root_redirect']);
      }
      for (const url of [`https://www.${domain.fqdn}/`, `https://${domain.fqdn}:8443/`]) {
        expect((await change(domain, { root_redirect: url }, client)).status).toBe(200);
      }
    });

    it('can be the default, one domain at a time', async () => {
      const other = await anActive(client);
      const states = async () => [
        (await show(domain, client)).is_default,
        (await show(other, client)).is_default,
      ];
      expect((await change(other, { is_default: false }, client)).status).toBe(200);
      expect(await states()).toEqual([false, false]);
      await change(domain, { is_default: true }, client);
      expect(await states()).toEqual([true, false]);
      await change(other, { is_default: true }, client);
      expect(await states()).toEqual([false, true]);
      await change(other, { is_default: false }, client);
      expect(await states()).toEqual([false, false]);
    });

    it('can get certificates, unlike other names', async () => {
      const pending = await add(aName(), client);
      expect(await ask(domain.fqdn)).toBe(200);
      expect(await ask(`${domain.fqdn.toUpperCase()}.:443`)).toBe(200);
      expect(await ask('go.curtail.example')).toBe(200);
      expect(await ask(pending.fqdn)).toBe(404);
      expect(await ask('unknown.example')).toBe(404);
      expect(await ask(`x.${domain.fqdn}`)).toBe(404);
      expect([await ask(''), await ask(null)]).toEqual([400, 400]);
      const others = ['/', '/health', '/ask/x'].map((path) =>
        fetch(`http://127.0.0.1:${askPort}${path}?domain=${domain.fqdn}`),
      );
      for (const { status } of await Promise.all(others)) expect(status).toBe(404);
      const post = await fetch(`http://127.0.0.1:${askPort}/ask?domain=${domain.fqdn}`, {
        method: 'POST',
      });
      expect(post.status).toBe(404);
      await client.call('delete', `${DOMAINS}/${domain.id}`);
      expect(await ask(domain.fqdn)).toBe(404);
    });
  });

  it('can be changed only after they became active', async () => {
    const domain = await add();
    expect((await change(domain, { root_redirect: null })).status).toBe(422);
  });

  it('are deleted immediately if they were never active', async () => {
    const domain = await add();
    expect((await owner.call('delete', `${DOMAINS}/${domain.id}/permanent`)).status).toBe(422);
    const answer = await owner.call('delete', `${DOMAINS}/${domain.id}`);
    expect(answer.body).toEqual({
      id: domain.id,
      fqdn: domain.fqdn,
      cascade: false,
      urls_deleted: 0,
    });
    expect((await owner.call('get', `${DOMAINS}/${domain.id}`)).status).toBe(404);
  });

  it('are revoked with their links, restored with both, and deleted permanently without links', async () => {
    const client = await ApiClient.on(service);
    const domain = await anActive(client);
    const link = await client.aLink();
    // Stores the link directly, since the API cannot create it.
    const database = await databaseOf(service);
    await database
      .collection('links')
      .updateOne({ alias: link.alias }, { $set: { alias: `${domain.id}/${link.alias}` } });
    await database.close();
    expect((await client.call('delete', `${DOMAINS}/${domain.id}`)).status).toBe(200);
    expect(await show(domain, client)).toMatchObject({ status: 'revoked', links: 1 });
    expect((await client.call('post', `${DOMAINS}/${domain.id}/verify`)).status).toBe(409);
    const permanent = `${DOMAINS}/${domain.id}/permanent`;
    expect((await client.call('delete', permanent)).status).toBe(409);
    const back = await add(domain.fqdn, client);
    expect(back).toMatchObject({ id: domain.id, status: 'pending', links: 1 });
    expect(proofOf(back)).toBe(proofOf(domain));
    const removed = await client.call('delete', `${DOMAINS}/${domain.id}?cascade=true`);
    expect(removed.body).toMatchObject({ cascade: true, urls_deleted: 1 });
    expect((await client.call('delete', permanent)).status).toBe(204);
    expect((await client.call('get', `${DOMAINS}/${domain.id}`)).status).toBe(404);
    expect((await visit(service, link.alias)).status).toBe(404);
  });

  it('cannot be deleted permanently while they have blocked links', async () => {
    const client = await ApiClient.on(service);
    const domain = await anActive(client);
    const links = [await client.aLink(), await client.aLink()];
    const database = await databaseOf(service);
    const stored = database.collection('links');
    for (const { alias } of links) {
      await stored.updateOne({ alias }, { $set: { alias: `${domain.id}/${alias}` } });
    }
    const blocked = { reason: 'Phishing', by: 'admin', at: new Date() };
    await stored.updateOne({ alias: `${domain.id}/${links[0]?.alias}` }, { $set: { blocked } });
    const removed = await client.call('delete', `${DOMAINS}/${domain.id}?cascade=true`);
    expect(removed.body).toMatchObject({ cascade: true, urls_deleted: 1 });
    expect(await show(domain, client)).toMatchObject({ status: 'revoked', links: 1 });
    const permanent = `${DOMAINS}/${domain.id}/permanent`;
    const held = await client.call('delete', permanent);
    expect([held.status, held.body]).toEqual([
      409,
      expect.objectContaining({
        error: 'A link on this domain is blocked by the operator, so the domain cannot be removed',
      }),
    ]);
    await stored.deleteOne({ alias: `${domain.id}/${links[0]?.alias}` });
    await database.close();
    expect((await client.call('delete', permanent)).status).toBe(204);
  });

  it("can move to another account with a new record while the holder's record is missing", async () => {
    const holder = await ApiClient.on(service);
    const rival = await ApiClient.on(service);
    const held = await anActive(holder);
    const claimed = await add(held.fqdn, rival);
    expect(JSON.stringify(claimed)).not.toContain(holder.account.email);
    dns.prove(held.fqdn, proofOf(held), proofOf(claimed));
    expect(await verify(claimed, rival)).toMatchObject({
      status: 'pending',
      last_verification_error: expect.stringContaining('another account'),
    });
    expect((await show(held, holder)).status).toBe('active');
    dns.prove(held.fqdn, proofOf(claimed));
    expect((await verify(claimed, rival)).status).toBe('active');
    expect(await show(held, holder)).toMatchObject({ status: 'revoked', is_default: false });
    await eventually('the email', () =>
      mailsTo(service, holder.account.email).join().includes(held.fqdn),
    );
    expect(await ask(held.fqdn)).toBe(200);
  });

  it('redirect from memory while the database is unreachable', async () => {
    const engine = new OwnEngine();
    await engine.start();
    const port = await freePort();
    const env = { DNS_SERVERS: dns.address, TLS_ASK_ADDRESS: `127.0.0.1:${port}` };
    const own = await startService({ env, mongoUri: engine.uri });
    const domain = await anActive(await ApiClient.on(own));
    await engine.stop();
    await eventually('the database is missed', async () => {
      return (await fetch(`${own.url}/health`)).status === 503;
    });
    expect([await ask(domain.fqdn, port), await ask('unknown.example', port)]).toEqual([200, 404]);
    await own.stop();
  });

  describe('are checked periodically', () => {
    let brisk: Service;
    beforeAll(async () => {
      brisk = await startService({
        env: {
          DNS_SERVERS: dns.address,
          DOMAIN_RECHECK: '1s/1s',
          LIMITS_FILE: limitsFile(UNLIMITED),
          TLS_ASK_ADDRESS: `127.0.0.1:${await freePort()}`,
          WEB_CONCURRENCY: '2',
        },
      });
    });
    afterAll(() => brisk.stop());

    it('and suspended while the record is missing, with emails, and active when it returns', async () => {
      const client = await ApiClient.on(brisk);
      const domain = await anActive(client);
      const { email } = client.account;
      const { alias } = await client.aLink({ domain: domain.fqdn });
      const visitsAre = (code: number) =>
        eventually(`${code} from all processes`, async () => {
          const headers = { Host: domain.fqdn, Connection: 'close' };
          const visits = Array.from({ length: 20 }, () => visit(brisk, alias, headers));
          return (await Promise.all(visits)).every(({ status }) => status === code);
        });
      await visitsAre(302);
      const statusIs = (status: string) =>
        eventually(status, async () => (await show(domain, client)).status === status);
      dns.records.set(`_curtail.${domain.fqdn}`, { silent: true });
      await eventually(
        'a check without an answer',
        async () => (await show(domain, client)).last_verification_error !== null,
      );
      expect((await show(domain, client)).status).toBe('active');
      dns.records.delete(`_curtail.${domain.fqdn}`);
      await statusIs('suspended');
      await visitsAre(404);
      await eventually('both emails', () => {
        const mails = mailsTo(brisk, email).join('\n');
        return mails.includes('is missing') && mails.includes('is suspended');
      });
      dns.prove(domain.fqdn, proofOf(domain));
      await statusIs('active');
      await visitsAre(302);
    });

    it('and abandoned after 30 days as pending', async () => {
      const client = await ApiClient.on(brisk);
      const domain = await add(aName(), client);
      const database = await databaseOf(brisk);
      await database
        .collection('domains')
        .updateOne({ fqdn: domain.fqdn }, { $set: { check_at: new Date(Date.now() - 1) } });
      await database.close();
      const status = async () => (await client.call('get', `${DOMAINS}/${domain.id}`)).status;
      await eventually('its end', async () => (await status()) === 404);
      const page = await client.call('get', DOMAINS);
      expect(page.body).toMatchObject({ items: [], total: 0 });
    });
  });
});

const others = (count: number): string[][] =>
  Array.from({ length: count }, (_, i) => [`other value ${i}`.padEnd(100, 'x')]);

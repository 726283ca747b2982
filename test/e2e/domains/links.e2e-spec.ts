import { ApiClient } from '../../support/api-client';
import { clicksCounted, databaseOf } from '../../support/database';
import { storedDomain } from '../../support/factories/domains';
import { aLink } from '../../support/factories/links';
import { shorten, visit } from '../../support/http';
import { limitsFile } from '../../support/limits';
import { eventually, startService, type Service } from '../../support/service';

// Tests links on custom domains (docs/contract.md#25.1, #25.3, #25.6).

const ONE = 'one.example.net';
const TWO = 'two.example.net';
const LIMITS = { 'links.create': 'off', 'links.update': 'off', 'links.read': 'off' };

describe('links on custom domains', () => {
  let service: Service;
  let owner: ApiClient;
  let stranger: ApiClient;
  const ids: Record<string, string> = {};

  beforeAll(async () => {
    const env = { LIMITS_FILE: limitsFile({ ...LIMITS, 'links.list': 'off' }) };
    const first = await startService({ env });
    owner = await ApiClient.on(first);
    stranger = await ApiClient.on(first);
    for (const [fqdn, values] of [
      [ONE, {}],
      [TWO, {}],
      ['asleep.example.net', { status: 'suspended' }],
      ['gone.example.net', { status: 'revoked' }],
    ] as const) {
      ids[fqdn] = await storedDomain(first, owner.account, fqdn, values);
    }
    await storedDomain(first, stranger.account, 'foreign.example.net');
    const { database, dataDir, port } = first;
    await first.stop();
    service = await startService({ env, database, port });
    expect(dataDir).not.toBe(service.dataDir);
    owner = owner.at(service);
    stranger = stranger.at(service);
  });
  afterAll(() => service.stop());

  const at = (fqdn: string) => ({ Host: `${fqdn}:${service.port}` });
  const locationAt = async (fqdn: string, alias: string): Promise<string | number> => {
    const answer = await visit(service, alias, at(fqdn));
    return answer.headers.location ?? answer.status;
  };

  it('can have the same alias on three hosts, with three destinations and three histories', async () => {
    const made = [];
    for (const domain of [null, ONE, TWO]) {
      const long_url = `https://example.com/${domain ?? 'own'}`;
      made.push(await owner.aLink({ long_url, alias: 'three', domain, private_stats: false }));
    }
    expect(made).toMatchObject([
      { domain: null, alias: 'three', short_url: `http://localhost:${service.port}/three` },
      { domain: ONE, alias: 'three', short_url: `http://${ONE}:${service.port}/three` },
      { domain: TWO, alias: 'three', short_url: `http://${TWO}:${service.port}/three` },
    ]);
    const hosts = ['localhost', ONE, TWO];
    for (const [i, host] of hosts.entries()) {
      for (let visits = 0; visits <= i; visits++) {
        const target = made[i]?.long_url;
        expect(await locationAt(host, 'three')).toBe(target);
      }
    }
    const database = await databaseOf(service);
    await clicksCounted(database, 'three', 1);
    await clicksCounted(database, `${ids[ONE]}/three`, 2);
    await clicksCounted(database, `${ids[TWO]}/three`, 3);
    await database.close();
    const byLink = await owner.call('get', '/api/v1/stats?scope=all&group_by=short_code');
    expect(byLink.status).toBe(200);
    const text = JSON.stringify(byLink.body);
    for (const label of ['"three"', `"${ONE}/three"`, `"${TWO}/three"`]) {
      expect(text).toContain(label);
    }
    for (const [label, total] of [
      ['three', 1],
      [`${ONE}/three`, 2],
      [`${TWO}/three`, 3],
    ] as const) {
      const one = await owner.call(
        'get',
        `/api/v1/stats?scope=all&short_code=${encodeURIComponent(label)}`,
      );
      expect(one.body).toMatchObject({ summary: { total_clicks: total } });
    }
    const shown = await stranger.call('get', `/api/v1/public/stats/three?domain=${TWO}`);
    expect(shown.status).toBe(200);
    expect(shown.body.stats.summary).toMatchObject({ total_clicks: 3 });
    const unknown = await stranger.call('get', '/api/v1/public/stats/three?domain=no.example.net');
    expect(unknown.status).toBe(404);
  });

  it('are listed, found and read by their address', async () => {
    const link = await owner.aLink({ alias: 'listed', domain: ONE });
    const aliasesOf = async (filter: object): Promise<string[]> => {
      const { body } = await owner.list({ filter: JSON.stringify(filter), pageSize: 100 });
      return (body.items as { short_url: string }[]).map(({ short_url }) => short_url).sort();
    };
    const onOne = await aliasesOf({ domain: ONE });
    expect(onOne).toContain(link.short_url);
    expect(onOne.every((url) => url.includes(ONE))).toBe(true);
    expect((await aliasesOf({ domain: 'default' })).some((url) => url.includes(ONE))).toBe(false);
    expect(await aliasesOf({ domain: 'nobody.example.net' })).toEqual([]);
    expect(await aliasesOf({ search: `${ONE}/listed` })).toEqual([link.short_url]);
    expect(await aliasesOf({ search: link.short_url })).toEqual([link.short_url]);
    const { body } = await owner.list({ domain: ONE, pageSize: 100 });
    expect(body.total).toBe(onOne.length);
    const read = await owner.call('get', `/api/v1/urls/${ONE}/listed`);
    expect(read.body).toMatchObject({ id: link.id, domain: ONE, alias: 'listed' });
    expect((await owner.call('get', `/api/v1/urls/${TWO}/listed`)).status).toBe(404);
    expect((await stranger.call('get', `/api/v1/urls/${ONE}/listed`)).status).toBe(404);
    const unknown = await owner.call('get', '/api/v1/urls/no.example.net/listed');
    expect([unknown.status, unknown.body.code]).toEqual([404, 'not_found']);
    for (const [path, allow] of [
      [`${link.id}/status`, 'PATCH'],
      ['bulk/create', 'POST'],
    ] as const) {
      const refused = await owner.call('get', `/api/v1/urls/${path}`);
      expect([refused.status, refused.headers['allow']]).toEqual([405, allow]);
    }
    const picture = await owner.call('get', `/api/v1/urls/${link.id}/qr.svg`);
    expect(picture.status).toBe(200);
    expect((await stranger.call('get', `/api/v1/urls/${link.id}/qr.svg`)).status).toBe(403);
  });

  it('move with their history if the alias is free', async () => {
    const link = await owner.aLink({ alias: 'mover', long_url: 'https://example.com/mover' });
    await visit(service, 'mover');
    const moved = await owner.update(link.id, { domain: ONE });
    expect(moved.body).toMatchObject({ domain: ONE, alias: 'mover' });
    expect(await locationAt(ONE, 'mover')).toBe('https://example.com/mover');
    expect((await visit(service, 'mover')).status).toBe(404);
    const database = await databaseOf(service);
    await clicksCounted(database, `${ids[ONE]}/mover`, 2);
    await database.close();
    // An unrelated PATCH keeps the domain.
    expect((await owner.update(link.id, { title: 'Moved' })).body.domain).toBe(ONE);
    const other = await owner.aLink({ alias: 'mover' });
    const refused = await owner.update(other.id, { domain: ONE });
    expect(refused.status).toBe(409);
    expect(refused.body).toMatchObject({ code: 'conflict', field: 'alias' });
    expect((await owner.update(link.id, { domain: null })).status).toBe(409);
    await owner.remove(other.id);
    expect((await owner.update(link.id, { domain: null })).body).toMatchObject({ domain: null });
    expect(await locationAt(ONE, 'mover')).toBe(404);
  });

  it('move in bulk, each with its own result', async () => {
    await owner.aLink({ alias: 'many-1', domain: TWO });
    const links = [await owner.aLink({ alias: 'many-1' }), await owner.aLink({ alias: 'many-2' })];
    // On a custom domain, reserved words are ordinary aliases.
    const page = await owner.aLink({ alias: 'health', domain: TWO });
    const foreign = await stranger.aLink();
    const move = (domain: unknown, of: string[]) =>
      owner.call('post', '/api/v1/urls/bulk/domain', { ids: of, domain });
    const { status, body } = await move(TWO, [...links.map(({ id }) => id), foreign.id]);
    expect(status).toBe(200);
    expect(body.summary).toEqual({ total: 3, succeeded: 1, failed: 2 });
    expect(body.results).toMatchObject([
      { ok: false, error_code: 'conflict', alias: 'many-1' },
      { ok: true, error_code: null, alias: 'many-2' },
      { ok: false, error_code: 'not_found', alias: null },
    ]);
    const back = await move(null, [links[1]?.id ?? '', page.id]);
    expect(back.body.results).toMatchObject([
      { ok: true, alias: 'many-2' },
      { ok: false, error_code: 'validation_error', alias: 'health' },
    ]);
    for (const [domain, code] of [
      ['foreign.example.net', 400],
      ['asleep.example.net', 400],
      [7, 422],
      [undefined, 422],
    ] as const) {
      const answer = await move(domain, [page.id]);
      expect([domain, answer.status]).toEqual([domain, code]);
      if (code === 400) expect(answer.body.field).toBe('domain');
    }
  });

  it('are deleted with their domain’s name, and no other links are', async () => {
    const fqdn = 'gone.example.net';
    const database = await databaseOf(service);
    const template = await owner.aLink({ alias: 'left' });
    const record = await database.collection('links').findOne({ alias: 'left' });
    const { _id, ...copied } = record ?? {};
    expect(String(_id)).toBe(template.id);
    const copies = Array.from({ length: 1100 }, (_, i) => ({
      ...copied,
      alias: `${ids[fqdn]}/c${i}`,
    }));
    await database.collection('links').insertMany(copies);
    await database.close();
    const remove = (query: string) => owner.call('delete', `/api/v1/urls${query}`);
    expect((await remove('')).status).toBe(422);
    expect((await remove('?domain=foreign.example.net')).status).toBe(404);
    expect((await remove(`?domain=${fqdn}`)).body).toEqual({
      message: 'URLs deleted',
      count: 1000,
      domain: fqdn,
      remaining: 100,
    });
    expect((await remove(`?domain=${fqdn.toUpperCase()}.`)).body).toMatchObject({
      count: 100,
      remaining: 0,
    });
    expect((await owner.show(template.id)).status).toBe(200);
  });

  it.each([
    ['suspended', 'asleep.example.net', 400],
    ['revoked', 'gone.example.net', 400],
    ["another account's", 'foreign.example.net', 400],
    ['a list', [ONE], 422],
  ])('are rejected on a domain that is %s', async (_, domain, status) => {
    const answers = [
      await owner.call('post', '/api/v1/shorten', { long_url: 'https://example.com/', domain }),
      await owner.update((await owner.aLink()).id, { domain }),
    ];
    for (const answer of answers) {
      expect(answer.status).toBe(status);
      if (status === 400) expect(answer.body).toMatchObject({ field: 'domain' });
    }
    if (typeof domain !== 'string') return;
    const check = `/api/v1/shorten/check-alias?alias=free-one&domain=${domain}`;
    expect((await owner.call('get', check)).body).toMatchObject({ field: 'domain' });
  });

  it('require an account, and an available alias', async () => {
    const anonymous = await shorten(service, { long_url: 'https://example.com/', domain: ONE });
    expect(anonymous.status).toBe(401);
    expect(anonymous.body).toMatchObject({ field: 'domain' });
    expect(
      (await shorten(service, { long_url: 'https://example.com/', domain: null })).status,
    ).toBe(201);
    await owner.aLink({ alias: 'health', domain: ONE });
    const again = await owner.call('post', '/api/v1/shorten', {
      ...{ long_url: 'https://example.com/', alias: 'health', domain: ONE },
    });
    expect(again.status).toBe(409);
    for (const [alias, domain, status] of [
      ['health', null, 400],
      ['static', ONE, 400],
      ['api', ONE, 201],
    ] as const) {
      const long_url = 'https://example.com/';
      const answer = await owner.call('post', '/api/v1/shorten', { long_url, alias, domain });
      expect([alias, domain, answer.status]).toEqual([alias, domain, status]);
    }
    const free = (domain: string) =>
      owner.call('get', `/api/v1/shorten/check-alias?alias=api${domain}`);
    expect((await free(`&domain=${ONE}`)).body).toEqual({ available: false, reason: 'taken' });
    expect((await free(`&domain=${TWO}`)).body).toEqual({ available: true, reason: null });
    expect((await free('')).body).toMatchObject({ available: false });
  });

  it.each([
    [`http://${ONE}/x`, 400],
    [`http://below.${ONE}/x`, 201],
  ])(
    'to %s return %d, because none may lead to a domain of this service',
    async (long_url, status) => {
      const fields = ['long_url', 'pre_start_url', 'expired_redirect_url'] as const;
      for (const field of fields) {
        const input = { long_url: 'https://example.com/', [field]: long_url };
        const answer = await owner.call('post', '/api/v1/shorten', input);
        expect([field, answer.status]).toEqual([field, status]);
        if (status === 400) expect(answer.body).toMatchObject({ field });
      }
      const own = `http://${ONE}:${service.port}/x`;
      const looping = await owner.call('post', '/api/v1/shorten', { long_url: own });
      expect(looping.status).toBe(400);
    },
  );

  it('belong to the default domain if the request has no domain', async () => {
    const made = await owner.call('patch', `/api/v1/custom-domains/${ids[TWO]}`, {
      is_default: true,
    });
    expect(made.status).toBe(200);
    expect(await owner.aLink()).toMatchObject({ domain: TWO });
    expect(await owner.aLink({ domain: null })).toMatchObject({ domain: null });
    // Anonymous links and v0 links use the BASE_URL host.
    expect((await aLink(service)).short_url).toContain('localhost');
    expect(await stranger.aLink()).toMatchObject({ domain: null });
    const off = await owner.call('patch', `/api/v1/custom-domains/${ids[TWO]}`, {
      is_default: false,
    });
    expect(off.status).toBe(200);
    await eventually('no default', async () => {
      const input = { long_url: 'https://example.com/' };
      return (await owner.call('post', '/api/v1/shorten', input)).body.domain === null;
    });
  });

  it('are available in the APIs of other shorteners, but not under the custom domain itself', async () => {
    const keyed = await owner.withKey('admin:all');
    const made = await keyed.call('post', '/api/v2/links', {
      ...{ target: 'https://a.test', customurl: 'facade', domain: ONE.toUpperCase() },
    });
    expect([made.status, made.body.domain]).toEqual([201, ONE]);
    const query = `?domain=${ONE}:1`;
    const shown = await keyed.call('get', `/rest/v3/short-urls/facade${query}`);
    expect([shown.status, shown.body.domain]).toEqual([200, ONE]);
    expect((await keyed.call('get', '/rest/v3/short-urls/facade')).status).toBe(404);
    const yourls = `/yourls-api.php?format=json&action=expand&shorturl=http://${ONE}/facade`;
    expect((await keyed.call('get', yourls)).body.longurl).toBe('https://a.test');
    const listed = await keyed.call('get', `/rest/v3/short-urls?searchTerm=facade&domain=${ONE}`);
    expect(listed.body.shortUrls.pagination.totalItems).toBe(1);
    for (const domain of ['foreign.example.net', 'asleep.example.net']) {
      const refused = await keyed.call('post', '/rest/v3/short-urls', {
        ...{ longUrl: 'https://a.test', domain },
      });
      expect([refused.status, refused.body.invalidElements]).toEqual([400, ['domain']]);
    }
    const domains = await keyed.call('get', '/rest/v3/domains');
    const names = (domains.body.domains.data as { domain: string }[]).map(({ domain }) => domain);
    expect(names[0]).toBe(`localhost:${service.port}`);
    expect(names.slice(1).sort()).toEqual([ONE, TWO]);
    for (const path of ['/api/v2/health', '/yourls-api.php', '/rest/v3/health', '/rest/health']) {
      const answer = await keyed.call('get', path).set(at(ONE));
      expect([path, answer.status]).toEqual([path, 404]);
      expect(answer.headers).not.toHaveProperty('access-control-allow-origin');
    }
  });

  it('appear in files with their domain', async () => {
    await owner.aLink({ alias: 'in-file', domain: ONE });
    const file = await owner.call('get', '/api/v1/urls/export?format=csv');
    expect(file.status).toBe(200);
    const [head = '', ...lines] = file.text.split('\r\n');
    expect(head.split(',')).toContain('domain');
    const line = lines.find((text) => text.includes('in-file'));
    expect(line).toContain(ONE);
    expect(line).not.toContain(ids[ONE]);
  });
});

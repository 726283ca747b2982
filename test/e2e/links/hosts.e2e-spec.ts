import { mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import request from 'supertest';
import { aVerifiedAccount } from '../../support/factories/accounts';
import { bearer, shorten } from '../../support/http';
import { postForm } from '../../support/legacy-requests';
import { refusedStart } from '../../support/refused-start';
import { eventually, type Service, startService } from '../../support/service';

const HOSTS = `# hosts
0.0.0.0 evil.example tracker.example
127.0.0.1 localhost
münchen.example
${'||not^a^host\n'.repeat(25)}`;

describe('BLOCKED_HOSTS_FILE', () => {
  const folder = mkdtempSync(join(tmpdir(), 'curtail-hosts-'));
  const list = join(folder, 'hosts.txt');
  const patterns = join(folder, 'patterns.txt');
  let service: Service;
  beforeAll(async () => {
    writeFileSync(list, HOSTS);
    writeFileSync(patterns, 'first\\.test\n(\n');
    const env = { BLOCKED_HOSTS_FILE: list, BLOCKED_URLS_FILE: patterns, METRICS: 'true' };
    service = await startService({ env });
  });
  afterAll(async () => {
    await service.stop();
    rmSync(folder, { recursive: true });
  });

  it.each([
    'https://evil.example/',
    'https://EVIL%2Eexample./x',
    'http://a.b.evil.example:8080/?x#y',
    'https://user@tracker.example/',
    'https://xn--mnchen-3ya.example/',
  ])('rejects a host and all its subdomains, in every notation: %s', async (url) => {
    const created = await shorten(service, { long_url: url });
    expect([created.status, created.body.field]).toEqual([400, 'long_url']);
    const form = await postForm(service, '/', { url });
    expect([form.status, form.body]).toEqual([403, { BlockedUrlError: expect.any(String) }]);
  });

  it.each(['https://notevil.example/', 'https://example/', 'https://good.example/evil.example'])(
    'accepts other hosts: %s',
    async (url) => {
      expect((await shorten(service, { long_url: url })).status).toBe(201);
    },
  );

  it('rejects blocked hosts in every address of a link', async () => {
    const owner = bearer((await aVerifiedAccount(service)).accessToken);
    const made = await shorten(service, { long_url: 'https://good.example/' }).set(owner);
    const evil = 'https://x.evil.example/';
    const now = Math.floor(Date.now() / 1000);
    const when = [{ field: 'os', values: ['iOS'] }];
    const changes = [
      ['long_url', { long_url: evil }],
      ['pre_start_url', { starts_at: now + 3600, pre_start_url: evil }],
      ['expired_redirect_url', { expired_redirect_url: evil }],
      ['rules.0.to', { rules: [{ when, to: evil }] }],
      ['rules.0.to', { rules: [{ when, to: 'myapp://x.evil.example/' }] }],
      ['geo_rules.DE', { geo_rules: { DE: evil } }],
      ['ab_variants.0.url', { ab_variants: [{ url: evil, weight: 10 }] }],
    ] as const;
    const api = request(service.url);
    for (const [field, change] of changes) {
      const patched = await api
        .patch(`/api/v1/urls/${made.body.id as string}`)
        .set(owner)
        .send(change);
      expect([patched.status, patched.body.field]).toEqual([400, field]);
      const created = await shorten(service, { long_url: 'https://good.example/', ...change }).set(
        owner,
      );
      expect([created.status, created.body.field]).toEqual([400, field]);
    }
    const set = { rules: [{ when, to: evil }] };
    const ids = [made.body.id as string];
    const all = await api.post('/api/v1/urls/bulk/update').set(owner).send({ ids, set });
    expect([all.status, all.body.field]).toEqual([400, 'set.rules.0.to']);
    const links = [{ long_url: evil }, { long_url: 'https://good.example/' }];
    const many = await api.post('/api/v1/urls/bulk/create').set(owner).send({ links });
    expect(many.body.results).toMatchObject([
      { error_code: expect.any(String), field: 'long_url' },
      { url: { long_url: 'https://good.example/' } },
    ]);
  });

  const statusOf = async (host: string): Promise<number> =>
    (await shorten(service, { long_url: `https://${host}/` })).status;
  const metrics = async (): Promise<string> => (await request(service.url).get('/metrics')).text;

  it('reports unreadable lines', async () => {
    const told = service.log().split('\n');
    expect(told.filter((line) => /unreadable line in BLOCKED_HOSTS_FILE/.test(line))[0]).toContain(
      '||not^a^host',
    );
    expect(service.log()).toMatch(
      /"lines":5,"msg":"Skipped more unreadable lines in BLOCKED_HOSTS_FILE/,
    );
    expect(service.log()).toMatch(/Skipped an unreadable line in BLOCKED_URLS_FILE/);
    expect(await metrics()).toContain('curtail_blocklist_unreadable_lines{list="hosts"} 25\n');
    expect(await metrics()).toContain('curtail_blocklist_entries{list="urls"} 1\n');
  });

  it('is reloaded after it is replaced by renaming, and keeps its entries while it is unreadable', async () => {
    const next = join(folder, 'next.txt');
    writeFileSync(next, 'later.example\n');
    renameSync(next, list);
    await eventually('the new list holds', async () => (await statusOf('later.example')) === 400);
    expect(await statusOf('evil.example')).toBe(201);
    rmSync(list);
    await eventually('the loss is reported', async () =>
      (await metrics()).includes('curtail_blocklist_failed{list="hosts"} 1\n'),
    );
    expect(service.log()).toMatch(/BLOCKED_HOSTS_FILE can no longer be read/);
    expect(await statusOf('later.example')).toBe(400);
    writeFileSync(list, 'evil.example\n');
    await eventually('the list is back', async () => (await statusOf('later.example')) === 201);
  });

  it('is reloaded together with BLOCKED_URLS_FILE after changes in place', async () => {
    expect([await statusOf('first.test'), await statusOf('second.test')]).toEqual([400, 201]);
    writeFileSync(patterns, 'second\\.test\n');
    await eventually('the new list holds', async () => (await statusOf('second.test')) === 400);
    expect(await statusOf('first.test')).toBe(201);
    writeFileSync(patterns, '# none\n');
    await eventually('the list is empty', async () => (await statusOf('second.test')) === 201);
  });

  it.each([
    ['is missing', null, /^BLOCKED_HOSTS_FILE=.*must name a file that exists/],
    ['is no text', Buffer.from('caf\xe9', 'latin1'), /^BLOCKED_HOSTS_FILE=.*not UTF-8/],
    [
      'holds too many',
      `192.0.2.1 ${'a '.repeat(1_000_001)}`,
      /^BLOCKED_HOSTS_FILE=.*may have at most 1000000 hosts/,
    ],
  ])('prevents startup with a one-line message if the file %s', async (_, content, line) => {
    const file = join(folder, 'wrong.txt');
    if (content !== null) writeFileSync(file, content);
    const { code, lines } = await refusedStart({ DATA_DIR: folder, BLOCKED_HOSTS_FILE: file });
    expect([code, lines]).toEqual([1, [expect.stringMatching(line)]]);
  });
});

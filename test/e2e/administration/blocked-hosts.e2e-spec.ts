import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import request from 'supertest';
import { curtail } from '../../support/curtail';
import { databaseOf } from '../../support/database';
import {
  anAdmin,
  aVerifiedAccount,
  type TestAccount,
  WITH_ADMIN,
} from '../../support/factories/accounts';
import { anAddress, bearer, post, visit } from '../../support/http';
import { redisInstalled, TestRedis } from '../../support/redis';
import { eventually, type Service, startService } from '../../support/service';

const PATH = '/api/v1/admin/blocked-hosts';
const WALK_MS = 120_000;

const shorten = async (service: Service, long_url: string, headers = {}) => {
  const answer = await post(service, '/api/v1/shorten', { long_url }).set(headers);
  return [answer.status, answer.body.alias ?? answer.body.field] as [number, string];
};
const becomes = (service: Service, alias: string, status: number): Promise<void> =>
  eventually(
    `${alias} is ${status}`,
    async () => (await visit(service, alias)).status === status,
    WALK_MS,
  );

describe('Hosts blocked by admins (docs/contract.md#38.3)', () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'curtail-hosts-'));
  let service: Service;
  let admin: TestAccount;
  let owner: TestAccount;
  beforeAll(async () => {
    const env = { ...WITH_ADMIN, WEB_CONCURRENCY: '2' };
    service = await startService({ embedded: true, dataDir, env });
    admin = await anAdmin(service);
    owner = await aVerifiedAccount(service);
  });
  afterAll(async () => {
    await service.stop();
    rmSync(dataDir, { recursive: true, force: true });
  });

  const call = (method: 'get' | 'post' | 'delete', path: string, body?: object) =>
    request(service.url)
      [method](path)
      .set({ 'X-Forwarded-For': anAddress(), ...bearer(admin.accessToken) })
      .send(body);
  const block = (host: string, reason?: string) => call('post', PATH, { host, reason });

  it('close new and existing links, and their removal reopens the links that only they closed', async () => {
    const [, below] = await shorten(service, 'https://a.evil.example/', bearer(owner.accessToken));
    const [, exempt] = await shorten(service, 'https://evil.example/exempt');
    const found = await call('get', '/api/v1/admin/hosts/EVIL.example');
    expect(found.body).toEqual({ host: 'evil.example', links: 2, owners: 1, blocked_by: null });
    const made = await block('https://evil.example/login?x=1', 'Phishing');
    expect([made.status, made.body]).toEqual([
      201,
      {
        ...{ host: 'evil.example', reason: 'Phishing', links_blocked: 0 },
        created_at: expect.stringMatching(/^\d{4}-.*Z$/),
        by: { id: expect.any(String), email: admin.email },
      },
    ]);
    await eventually('new destinations are refused in every process', async () => {
      for (let i = 0; i < 8; i++) {
        const [status, field] = await shorten(service, 'https://sub.evil.example/');
        if (status !== 400 || field !== 'long_url') return false;
      }
      return true;
    });
    expect((await shorten(service, 'https://notevil.example/'))[0]).toBe(201);
    await Promise.all([becomes(service, below, 410), becomes(service, exempt, 410)]);
    const list = await call('get', `${PATH}?search=EVIL`);
    expect(list.body).toMatchObject({
      ...{ total: 1, page: 1, hasNext: false },
      items: [{ host: 'evil.example', links_blocked: 2 }],
    });
    const lists = await call('get', '/api/v1/admin/lists');
    expect(lists.body.stored).toEqual({ entries: 1, links_blocked: 2 });
    const counted = await call('get', '/api/v1/admin/hosts/www.evil.example');
    expect(counted.body).toMatchObject({ links: 0, owners: 0, blocked_by: 'administrator' });

    const urls = await call('get', '/api/v1/admin/urls?host=evil.example');
    const items = urls.body.items as { id: string; alias: string; blocked: { reason: string } }[];
    expect(items.map(({ blocked }) => blocked.reason)).toEqual(
      Array(2).fill('On the list of blocked hosts'),
    );
    const { id } = items.find(({ alias }) => alias === exempt)!;
    expect((await call('post', `/api/v1/admin/urls/${id}/unblock`, {})).status).toBe(200);
    const again = await block('evil.example', 'Malware');
    expect([again.status, again.body.reason, again.body.created_at]).toEqual([
      ...[200, 'Malware', made.body.created_at],
    ]);
    expect((await block('other.example')).status).toBe(201);
    const page = await call('get', `${PATH}?pageSize=1`);
    expect([page.body.items[0].host, page.body.total, page.body.hasNext]).toEqual([
      ...['other.example', 2, true],
    ]);
    await call('delete', `${PATH}/other.example`);
    expect((await visit(service, exempt)).status).toBe(302);

    const gone = await call('delete', `${PATH}/EVIL.example`);
    expect([gone.status, gone.body]).toEqual([
      200,
      { message: expect.any(String), host: 'evil.example' },
    ]);
    await becomes(service, below, 302);
    expect((await call('delete', `${PATH}/evil.example`)).status).toBe(404);
    await eventually(
      'new destinations are accepted',
      async () => (await shorten(service, 'https://evil.example/'))[0] === 201,
    );
    const trail = await call('get', '/api/v1/admin/trail?pageSize=100');
    const acts = (trail.body.items as { act: string; subject: object; reason: string | null }[])
      .filter(({ act }) => act.startsWith('host.'))
      .map(({ act, subject, reason }) => [act, subject, reason]);
    const evil = { kind: 'host', id: 'evil.example' };
    const other = { kind: 'host', id: 'other.example' };
    const about = await call('get', '/api/v1/admin/trail?subject=EVIL.example');
    expect(about.body.total).toBe(3);
    expect(acts).toEqual([
      ...[
        ['host.unblock', evil, null],
        ['host.unblock', other, null],
      ],
      ...[
        ['host.block', other, null],
        ['host.block', evil, 'Malware'],
        ['host.block', evil, 'Phishing'],
      ],
    ]);
  });

  it.each([
    ['a single label', 'zip'],
    ['a network', '192.0.2.0/24'],
    ['a text', 'not a host'],
  ])('cannot be %s', async (_, host) => {
    const refused = await block(host);
    expect([refused.status, refused.body.field]).toEqual([400, 'host']);
  });

  it('are at most 10,000', async () => {
    const database = await databaseOf(service);
    const hosts = database.collection<{ _id: string }>('blocked_hosts');
    const before = await hosts.countDocuments();
    const entry = { reason: null, created_at: new Date(0), by: null };
    await hosts.insertMany(
      Array.from({ length: 10_000 - before }, (_, i) => ({ _id: `n${i}.many.example`, ...entry })),
    );
    const refused = await block('one-more.example');
    expect([refused.status, refused.body.field]).toEqual([400, 'host']);
    expect((await block('n1.many.example', 'Known')).status).toBe(200);
    await hosts.deleteMany({ created_at: entry.created_at });
    await database.close();
  });

  it('can be changed by commands', async () => {
    const run = (...args: string[]) => curtail(dataDir, ['admin', ...args, '--json'], WITH_ADMIN);
    const blocked = await run('block-host', 'https://Cli.Example/x', '--reason', 'Spam');
    expect([blocked.code, JSON.parse(blocked.out)]).toMatchObject([
      0,
      { host: 'cli.example', reason: 'Spam', by: null },
    ]);
    await eventually(
      'the service refuses the host',
      async () => (await shorten(service, 'https://cli.example/'))[0] === 400,
      WALK_MS,
    );
    expect((await run('list-blocked-hosts')).out).toContain('"cli.example"');
    expect((await run('unblock-host', 'cli.example')).code).toBe(0);
    await eventually(
      'the service accepts the host',
      async () => (await shorten(service, 'https://cli.example/'))[0] === 201,
      WALK_MS,
    );
    expect((await run('unblock-host', 'cli.example')).code).toBe(1);
    expect((await run('block-host', 'zip')).code).toBe(1);
  });
});

(redisInstalled ? describe : describe.skip)(
  'Hosts blocked on another machine (needs redis-server)',
  () => {
    it('are rejected on every machine', async () => {
      const redis = await TestRedis.start();
      const env = { ...WITH_ADMIN, REDIS_URL: redis.url };
      const one = await startService({ env });
      const two = await startService({ env, database: one.database });
      try {
        const admin = await anAdmin(one);
        await post(one, PATH, { host: 'evil.example' }).set(bearer(admin.accessToken)).expect(201);
        await eventually(
          'the other machine refuses the host',
          async () => (await shorten(two, 'https://evil.example/'))[0] === 400,
          WALK_MS,
        );
      } finally {
        await Promise.all([one.stop(), two.stop()]);
        await redis.stop();
      }
    });
  },
);

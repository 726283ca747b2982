import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { aLink } from '../../support/factories/links';
import { becomesEverywhere } from '../../support/everywhere';
import { visit } from '../../support/http';
import { redisInstalled, TestRedis } from '../../support/redis';
import { eventually, type Service, startService } from '../../support/service';

/** Changed files are read and applied within a minute (docs/contract.md#24.6). */
const WALK_MS = 60_000;

describe('existing links', () => {
  const folder = mkdtempSync(join(tmpdir(), 'curtail-walk-'));
  const hosts = join(folder, 'hosts.txt');
  const urls = join(folder, 'urls.txt');
  const services: Service[] = [];
  afterEach(async () => {
    await Promise.all(services.splice(0).map((service) => service.stop()));
  });
  afterAll(() => rmSync(folder, { recursive: true }));

  const start = async (options: Parameters<typeof startService>[0]): Promise<Service> => {
    const service = await startService(options);
    services.push(service);
    return service;
  };
  const becomes = (service: Service, aliases: readonly string[], status: number) =>
    eventually(
      `they are ${status}`,
      async () => {
        const answers = await Promise.all(aliases.map((alias) => visit(service, alias)));
        return answers.every((answer) => answer.status === status);
      },
      WALK_MS,
    );

  it('are closed after a change to either list, in every process, and reopened after it is reverted', async () => {
    writeFileSync(hosts, 'other.example\n');
    writeFileSync(urls, '# none\n');
    const env = { BLOCKED_HOSTS_FILE: hosts, BLOCKED_URLS_FILE: urls, WEB_CONCURRENCY: '2' };
    const service = await start({ env });
    const aliasOf = async (long_url: string): Promise<string> =>
      (await aLink(service, { long_url })).alias;
    const byHost = await aliasOf('https://a.evil.example/');
    const byPattern = await aliasOf('https://good.example/spam');
    const good = await aliasOf('https://good.example/');
    for (let i = 0; i < 10; i++) await becomes(service, [byHost, byPattern, good], 302);
    writeFileSync(hosts, 'other.example\nevil.example\n');
    writeFileSync(urls, '/spam$\n');
    await becomes(service, [byHost, byPattern], 410);
    await becomesEverywhere(() => visit(service, byHost), 410);
    await becomesEverywhere(() => visit(service, byPattern), 410);
    expect((await visit(service, good)).status).toBe(302);
    writeFileSync(hosts, 'other.example\n');
    await becomes(service, [byHost], 302);
    expect((await visit(service, byPattern)).status).toBe(410);
  });

  (redisInstalled ? it : it.skip)('are closed on every machine (needs redis-server)', async () => {
    const redis = await TestRedis.start();
    writeFileSync(hosts, 'other.example\n');
    const env = { BLOCKED_HOSTS_FILE: hosts, REDIS_URL: redis.url };
    const one = await start({ env });
    const two = await start({ env, database: one.database });
    const { alias } = await aLink(one, { long_url: 'https://evil.example/' });
    for (const machine of [one, two]) expect((await visit(machine, alias)).status).toBe(302);
    writeFileSync(hosts, 'evil.example\n');
    await Promise.all([becomes(one, [alias], 410), becomes(two, [alias], 410)]);
    await redis.stop();
  });

  it('are closed at a start with a list, and reopened at a start without the setting', async () => {
    const first = await start({});
    const { database } = first;
    const { alias } = await aLink(first, { long_url: 'https://evil.example/' });
    writeFileSync(hosts, 'evil.example\n');
    const second = await start({ env: { BLOCKED_HOSTS_FILE: hosts }, database });
    await becomes(second, [alias], 410);
    const third = await start({ database });
    await becomes(third, [alias], 302);
    expect((await visit(third, alias)).headers['location']).toBe('https://evil.example/');
  });
});

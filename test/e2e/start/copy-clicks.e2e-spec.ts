import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { mongo } from 'mongoose';
import request from 'supertest';
import { CLICK_STORES, type StoredClickStore } from '../../../src/clicks/store/click-store.schema';
import { aClick } from '../../support/shared/click.factory';
import { clickHouseInstalled, TestClickHouse } from '../../support/click-house';
import { clicksInChunks, storedClickStore } from '../../support/click-store-reading';
import { aLink } from '../../support/factories/links';
import { journalEmpty } from '../../support/exact-clicks';
import { anAddress, visit } from '../../support/http';
import { eventually, type Service, type ServiceOptions, startService } from '../../support/service';
import { StatisticsWorld } from '../../support/statistics/statistics-world';
import { Traffic } from '../../support/traffic';

const CLI = join(__dirname, '..', '..', '..', 'dist', 'program', 'cli', 'curtail.js');
const DATABASE = `t${process.pid}copyclicks`;

const PAUSE_MS = 15;
const MOVED = (clicks: number): string =>
  `copy: ${clicks} clicks, no differences, 50 query results compared`;
/** If a run is killed between its last change and its end, the next one has nothing to compare. */
const MOVED_BEFORE = /^copy: (12009 clicks, no differences, 0 |the clicks are already in MongoDB)/m;

interface CommandEnd {
  code: number | null;
  text: string;
}

(clickHouseInstalled ? describe : describe.skip)('curtail copy --clicks', () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'curtail-copy-clicks-'));
  let server: TestClickHouse;
  let clickHouse: string;
  const at: ServiceOptions = { dataDir, database: DATABASE };

  beforeAll(async () => {
    server = await TestClickHouse.start();
    clickHouse = `${server.url}/moved`;
  });
  afterAll(async () => {
    await server.remove();
    rmSync(dataDir, { recursive: true, force: true });
  });

  function environment(url?: string): NodeJS.ProcessEnv {
    const uri = (process.env.CURTAIL_TEST_MONGO ?? '').replace('%DB%', DATABASE);
    const secrets = { JWT_SECRET: 'a secret of the end-to-end tests', DATA_DIR: dataDir };
    return { PATH: process.env.PATH, MONGODB_URI: uri, ...secrets, CLICKHOUSE_URL: url };
  }

  /** @param killAfterMs kills the command if it is still running */
  async function command(
    args: string[],
    env: NodeJS.ProcessEnv = environment(clickHouse),
    killAfterMs?: number,
  ): Promise<CommandEnd> {
    const child = spawn(process.execPath, [CLI, ...args], {
      env,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let text = '';
    for (const stream of [child.stdout, child.stderr]) {
      stream.on('data', (piece: Buffer) => (text += piece.toString()));
    }
    const timer = killAfterMs && setTimeout(() => child.kill('SIGKILL'), killAfterMs);
    const [code] = (await once(child, 'close')) as [number | null];
    clearTimeout(timer);
    return { code, text };
  }

  async function statistics(service: Service, alias: string): Promise<string> {
    const world = await StatisticsWorld.of(service);
    const range = { start_date: '2026-09-01', end_date: '2026-11-20' };
    const answer = await world.get(`/api/v1/public/stats/${alias}`, range);
    await world.connection.close();
    expect(answer.status).toBe(200);
    return JSON.stringify(answer.body.stats.metrics);
  }

  it('copies clicks to ClickHouse and back, even if it is interrupted', async () => {
    let service = await startService(at);
    const world = await StatisticsWorld.of(service);
    const [busy, quiet] = [
      await world.link({ alias: 'busy' }),
      await world.link({ alias: 'quiet' }),
    ];
    for (let batch = 0; batch < 3; batch += 1) {
      const clicks = Array.from({ length: 4000 }, (_, i) =>
        aClick({
          at: Date.UTC(2026, 8 + batch, 3) + i * 60_000,
          visitor: (1 + (i % 700)).toString(16).padStart(24, '0'),
          browser: ['Chrome', null, 'Firefox'][i % 3] ?? null,
          referrer: i % 5 === 0 ? `https://${i % 97}.example` : null,
          utmCampaign: i % 11 === 0 ? '(none)' : null,
          botName: i % 13 === 0 ? 'Some bot' : null,
          signals: i % 32,
          slot: i % 2 === 0,
        }),
      );
      await world.record(busy, clicks);
      await world.record(quiet, clicks.slice(0, 3));
    }
    const before = await statistics(service, 'busy');
    expect(before).toContain('Firefox');
    const connection = world.connection;
    await service.stop();
    const source = await storedClickStore(connection, quiet);
    if (source === null) throw new Error('The link has no click store');
    expect((await command(['copy', '--clicks', 'nowhere'])).code).toBe(2);
    expect(await command(['verify'])).toMatchObject({ code: 1 });

    for (let patience = 600; ; patience *= 4) {
      const { code, text } = await command(['copy', '--clicks', 'clickhouse'], undefined, patience);
      if (code === null) continue;
      expect(code).toBe(0);
      if (!MOVED_BEFORE.test(text)) expect(text).toContain(MOVED(12_009));
      break;
    }
    expect(await clicksInChunks(connection, busy)).toBe(0);
    // Simulates an interruption while the clicks are deleted.
    const clickStores = connection.collection<StoredClickStore>(CLICK_STORES);
    await clickStores.replaceOne({ _id: new mongo.ObjectId(quiet) }, source);
    expect(await clicksInChunks(connection, quiet)).toBe(9);
    expect(await command(['copy', '--clicks', 'clickhouse'])).toMatchObject({
      code: 0,
      text: expect.stringContaining(MOVED(12_009)),
    });
    expect(await clicksInChunks(connection, quiet)).toBe(0);
    const all = 'verify: 2 links, 12009 clicks, 0 differences, 0 repaired';
    expect((await command(['verify'])).text).toContain(all);

    service = await startService({ ...at, clickHouse });
    expect(await statistics(service, 'busy')).toBe(before);
    expect((await visit(service, 'busy')).status).toBe(302);
    await journalEmpty(dataDir);
    await service.stop();
    expect((await command(['verify'])).text).toContain('12010 clicks, 0 differences');

    // With a different target, the service keeps clicks in the journal.
    service = await startService(at);
    await visit(service, 'busy');
    await eventually('it says why', () => service.log().includes('curtail copy --clicks mongodb'));
    expect((await storedClickStore(connection, busy))?.total).toBe(12_001);
    await service.stop();

    for (let patience = 600; ; patience *= 4) {
      const { code, text } = await command(['copy', '--clicks', 'mongodb'], undefined, patience);
      if (code === null) continue;
      expect(code).toBe(0);
      if (!MOVED_BEFORE.test(text)) expect(text).toContain(MOVED(12_010));
      break;
    }
    expect(await command(['copy', '--clicks', 'mongodb'])).toMatchObject({
      code: 0,
      text: expect.stringContaining('copy: the clicks are already in MongoDB'),
    });
    service = await startService(at);
    await journalEmpty(dataDir);
    expect(await statistics(service, 'busy')).toBe(before);
    expect(await clicksInChunks(connection, busy)).toBe(12_002);
    expect((await command(['verify'], environment(''))).text).toContain(
      '12011 clicks, 0 differences',
    );
    await connection.dropDatabase();
    await connection.close();
    await service.stop();
  });

  it("copies a running service's clicks there and back, without losing any", async () => {
    const [folder, database] = [join(dataDir, 'running'), `${DATABASE}b`];
    const running = { dataDir: folder, database };
    const env: NodeJS.ProcessEnv = { ...environment(`${server.url}/running`), DATA_DIR: folder };
    env.MONGODB_URI = (process.env.CURTAIL_TEST_MONGO ?? '').replace('%DB%', database);
    const copied = async (home: string): Promise<CommandEnd> =>
      command(['copy', '--clicks', home], env);
    let service = await startService(running);
    const link = await aLink(service, { private_stats: false });
    const statistics = () =>
      request(service.url)
        .get(`/api/v1/public/stats/${link.alias}`)
        .set('X-Forwarded-For', anAddress());
    let traffic = new Traffic(service.port, link, 2, PAUSE_MS);
    await traffic.moreRedirects(300);
    // Waits until the clicks are recorded, because clicks in the journal are not copied.
    await eventually('clicks are recorded', async () => {
      return ((await statistics()).body.stats?.summary.total_clicks ?? 0) > 200;
    });
    expect(await copied('clickhouse')).toMatchObject({
      code: 0,
      text: expect.stringMatching(/^copy: \d+ clicks, no differences, 50 query results compared/m),
    });
    await traffic.moreRedirects(100);
    // The service still uses the previous store. Another time zone avoids cached results.
    const other = await statistics().query({ timezone: 'Asia/Kathmandu' });
    expect([other.status, other.headers['retry-after']]).toEqual([503, '10']);
    await eventually('it says why', () => service.log().includes('curtail copy --clicks mongodb'));
    await traffic.stop();
    await service.stop();
    const before = traffic.redirected.size;

    service = await startService({ ...running, clickHouse: env.CLICKHOUSE_URL });
    await journalEmpty(folder);
    expect((await statistics()).body.stats.summary.total_clicks).toBe(before);
    traffic = new Traffic(service.port, link, 2, PAUSE_MS);
    await traffic.moreRedirects(100);
    expect((await copied('mongodb')).code).toBe(0);
    await traffic.moreRedirects(50);
    await traffic.stop();
    await service.stop();
    service = await startService(running);
    await journalEmpty(folder);
    expect((await statistics()).body.stats.summary.total_clicks).toBe(
      before + traffic.redirected.size,
    );
    await service.stop();
    expect((await command(['verify'], { ...env, CLICKHOUSE_URL: '' })).text).toContain(
      '0 differences',
    );
  });
});

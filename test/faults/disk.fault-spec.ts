import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { aLink } from '../support/factories/links';
import { shorten, visit } from '../support/http';
import { Traffic } from '../support/traffic';
import { databaseOf, totalClicks } from '../support/database';
import { becomes, health } from '../support/health';
import { heavyClicks } from '../support/heavy-clicks';
import { enginePid, recorderPid } from '../support/processes';
import { expectExact, journalEmpty } from '../support/exact-clicks';
import { scrape } from '../support/scrape';
import { refusedStart } from '../support/refused-start';
import { eventually, startService, type Service } from '../support/service';
import { describeOnSmallDisk, SmallDisk } from '../support/small-disk';

const MEGABYTE = 1024 * 1024;

const backlogOf = async (service: Service) =>
  (await scrape(service)).get('curtail_journal_backlog_bytes') ?? NaN;
const lostOf = async (service: Service) =>
  (await scrape(service)).get('curtail_clicks_lost_total') ?? NaN;

/** Pauses the recorder and each replacement that the primary starts after a hang. */
class StoppedRecorder {
  private readonly stopping = setInterval(() => this.send('SIGSTOP'), 50);

  constructor(private readonly service: Service) {
    this.send('SIGSTOP');
  }

  goOn(): void {
    clearInterval(this.stopping);
    this.send('SIGCONT');
  }

  private send(signal: NodeJS.Signals): void {
    try {
      process.kill(recorderPid(this.service), signal);
    } catch {
      // No recorder is running.
    }
  }
}

/** Without mount rights, only the journal's unit tests simulate file errors. */
describeOnSmallDisk('a disk that is full', () => {
  let dataDir: string;
  let disk: SmallDisk | null = null;
  beforeEach(() => {
    dataDir = mkdtempSync(join(tmpdir(), 'curtail-disk-'));
  });
  afterEach(() => {
    disk?.unmount();
    disk = null;
    rmSync(dataDir, { recursive: true, force: true });
  });

  it('for the journal delays no redirect and loses no click once there is space again', async () => {
    disk = SmallDisk.mount(join(dataDir, 'journal'), 1);
    const service = await startService({ dataDir, env: { METRICS: 'true' } });
    const traffic = new Traffic(service.port, await aLink(service));
    await traffic.moreRedirects(50);
    disk.fill();
    await eventually('clicks wait in memory', async () => (await backlogOf(service)) > 0);
    await traffic.moreRedirects(200);
    expect(service.log()).toContain('Could not write to the click journal');
    expect(await becomes(service, 'degraded')).toMatchObject({
      code: 200,
      checks: { database: 'ok', recording: 'error' },
    });
    disk.clear();
    await eventually('the disk takes them', async () => (await backlogOf(service)) === 0);
    await becomes(service, 'healthy');
    await expectExact(service, traffic);
    expect(service.log()).toContain('Writing to the click journal works again');
    expect(service.log()).not.toContain('Clicks were lost');
    expect(await service.stop()).toBe(0);
  });

  it('is too small for a new database, and the error contains the required size', async () => {
    disk = SmallDisk.mount(dataDir, 400);
    const { code, lines } = await refusedStart({ DATA_DIR: dataDir });
    expect(lines).toEqual([
      expect.stringMatching(
        /^DATA_DIR=".*": only \d+ MB are free, and a new database needs 520 MB; free space/,
      ),
    ]);
    expect(code).toBe(1);
  });

  it('is nearly full for an existing database, which works unless it needs an index', async () => {
    disk = SmallDisk.mount(dataDir, 900);
    let service = await startService({ dataDir, embedded: true });
    const link = await aLink(service);
    expect(await service.stop()).toBe(0);
    disk.fillUpTo(300 * MEGABYTE);
    service = await startService({ dataDir, embedded: true });
    expect(service.log()).toContain(
      'MB are free: with less than 500 MB, the database cannot create indexes',
    );
    expect((await shorten(service, { long_url: 'https://a.test/' })).status).toBe(201);
    const database = await databaseOf(service);
    await database.collection('links').dropIndexes();
    await database.close();
    expect(await service.stop()).toBe(0);
    // Startup waits until the service is healthy.
    const starting = startService({ dataDir, port: service.port, embedded: true });
    const unhealthy = await becomes(service, 'unhealthy');
    expect(unhealthy).toMatchObject({ code: 503, checks: { database: 'error' } });
    expect(unhealthy.hint).toContain('less than 500 MB free');
    disk.clear();
    service = await starting;
    const told = service
      .log()
      .split('\n')
      .filter((line) => line.includes("The database's disk has less than 500 MB free"));
    expect(told).toHaveLength(1);
    expect((await health(service)).hint).toBeUndefined();
    expect((await visit(service, link.alias)).status).toBe(302);
    expect(await service.stop()).toBe(0);
  });

  it('for all files breaks no guarantee, and the service recovers when there is space', async () => {
    // MongoDB creates no index if less than 500 MB are free.
    disk = SmallDisk.mount(dataDir, 900);
    const service = await startService({ dataDir, embedded: true, env: { METRICS: 'true' } });
    // Visits have pauses, because two minutes without pauses would exceed 64 MB in memory.
    const traffic = new Traffic(service.port, await aLink(service), 4, 10);
    await traffic.moreRedirects(50);
    disk.fill();
    // The engine exits at its next checkpoint and cannot restart.
    await becomes(service, 'unhealthy');
    const refused = await shorten(service, { long_url: 'https://a.test/' });
    expect(refused.status).toBe(503);
    expect((await visit(service, traffic.link.alias)).status).toBe(302);
    await traffic.moreRedirects(100);
    disk.clear();
    await becomes(service, 'healthy');
    await eventually('links are made again', async () => {
      return (await shorten(service, { long_url: 'https://a.test/' })).status === 201;
    });
    await eventually('the disk takes the clicks', async () => (await backlogOf(service)) === 0);
    await expectExact(service, traffic, 1);
    expect(service.log()).not.toContain('Clicks were lost');
    expect(new Set(traffic.statuses.keys())).toEqual(new Set([201, 302, 503]));
    expect(await service.stop()).toBe(0);
  });

  it('because of clicks leaves the database its reserve, and lost clicks are counted', async () => {
    disk = SmallDisk.mount(dataDir, 900);
    const service = await startService({ dataDir, embedded: true, env: { METRICS: 'true' } });
    const link = await aLink(service);
    expect((await visit(service, link.alias)).status).toBe(302);
    const engine = enginePid(service);
    // A tenth of the disk is reserved, so the journal can use about 30 MB.
    disk.fillUpTo(120 * MEGABYTE);
    const recorder = new StoppedRecorder(service);
    const attack = heavyClicks(service.port, link.alias);
    try {
      await eventually('clicks are lost', async () => (await lostOf(service)) > 0);
      expect((await visit(service, link.alias)).status).toBe(302);
      await aLink(service);
      expect(disk.free).toBeGreaterThan(80 * MEGABYTE);
    } finally {
      recorder.goOn();
    }
    // Waits, because only the recorder frees space.
    const redirects = 2 + (await attack.stop());
    await eventually('memory is empty', async () => (await backlogOf(service)) === 0);
    const lost = await lostOf(service);
    await journalEmpty(dataDir);
    const connection = await databaseOf(service);
    await eventually(
      'what was kept is recorded',
      async () => (await totalClicks(connection, link.id)) === redirects - lost,
    );
    await connection.close();
    expect(lost).toBeGreaterThan(0);
    expect(service.log()).toContain('The remaining disk space is reserved for the database');
    expect(
      service
        .log()
        .split('\n')
        .filter((line) => line.includes('Clicks were lost')).length,
    ).toBeLessThan(10);
    expect(enginePid(service)).toBe(engine);
    expect(await service.stop()).toBe(0);
  });
});

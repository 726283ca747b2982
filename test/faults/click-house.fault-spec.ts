import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import request from 'supertest';
import { clickHouseInstalled, TestClickHouse } from '../support/click-house';
import { totalClicks, databaseOf } from '../support/database';
import { expectExact } from '../support/exact-clicks';
import { aLink } from '../support/factories/links';
import { becomes } from '../support/health';
import { anAddress } from '../support/http';
import { recorderPid } from '../support/processes';
import { eventually, type Service, startService } from '../support/service';
import { Traffic } from '../support/traffic';

/** Long runs use more kills. */
const ROUNDS = Number(process.env.CURTAIL_TEST_ROUNDS ?? 9);
jest.setTimeout(300_000 + ROUNDS * 12_000);

(clickHouseInstalled ? describe : describe.skip)('clicks that are kept in ClickHouse', () => {
  let server: TestClickHouse;
  let dataDir: string;
  let service: Service;
  let traffic: Traffic;

  beforeEach(async () => {
    server = await TestClickHouse.start();
    dataDir = mkdtempSync(join(tmpdir(), 'curtail-fault-'));
    service = await startService({ dataDir, clickHouse: `${server.url}/clicks` });
    traffic = new Traffic(service.port, await aLink(service), 4, 5);
  });
  afterEach(async () => {
    await traffic.stop();
    await service.stop();
    await server.remove();
    rmSync(dataDir, { recursive: true, force: true });
  });

  const statistics = () =>
    request(service.url)
      .get(`/api/v1/public/stats/${traffic.link.alias}`)
      .set('X-Forwarded-For', anAddress());

  it('wait in the journal while it is unreachable, and only statistics are affected', async () => {
    await traffic.moreRedirects(50);
    await eventually('clicks are counted', async () => {
      const answer = await statistics();
      return answer.status === 200;
    });
    await server.kill();
    const down = await becomes(service, 'degraded');
    expect(down).toMatchObject({ code: 200, checks: { database: 'ok', clickhouse: 'error' } });
    await traffic.moreRedirects(200);
    await eventually('statistics are refused', async () => {
      const { status, headers, body } = await statistics();
      if (status === 200) return false;
      expect([status, headers['retry-after']]).toEqual([503, '10']);
      expect(body).toMatchObject({ code: 'internal_error' });
      return true;
    });
    await server.resume();
    await becomes(service, 'healthy');
    await traffic.moreRedirects(20);
    await expectExact(service, traffic);
    expect(new Set(traffic.statuses.keys())).toEqual(new Set([201, 302]));
    const connection = await databaseOf(service);
    const clicks = await totalClicks(connection, traffic.link.id);
    await connection.close();
    const answer = await statistics();
    expect(answer.status).toBe(200);
    expect(answer.body.stats.summary.total_clicks).toBe(clicks);
  });

  it('are neither lost nor duplicated if any process is killed', async () => {
    const { port, database } = service;
    for (let round = 0; round < ROUNDS; round += 1) {
      await traffic.moreRedirects(10 + ((round * 37) % 120));
      if (round % 3 === 0) {
        await server.kill();
        await server.resume();
      } else if (round % 3 === 1) {
        const before = recorderPid(service);
        process.kill(before, 'SIGKILL');
        await eventually('the recorder is started again', () => isOther(service, before));
      } else {
        await service.kill('SIGKILL');
        const clickHouse = `${server.url}/clicks`;
        service = await startService({ dataDir, port, database, clickHouse });
      }
    }
    await traffic.moreRedirects(20);
    await expectExact(service, traffic);
    await becomes(service, 'healthy');
  });
});

function isOther(service: Service, before: number): boolean {
  try {
    return recorderPid(service) !== before;
  } catch {
    return false;
  }
}

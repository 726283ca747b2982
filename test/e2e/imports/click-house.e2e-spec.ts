import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import request from 'supertest';
import { ApiClient } from '../../support/api-client';
import { clickHouseInstalled, TestClickHouse } from '../../support/click-house';
import { anAddress, bearer } from '../../support/http';
import { eventually, type Service, startService } from '../../support/service';

const DUMP = join(__dirname, '../../fixtures/dumps/yourls-mysqldump.sql');

(clickHouseInstalled ? describe : describe.skip)('imports where clicks lie in ClickHouse', () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'curtail-imports-ch-'));
  let server: TestClickHouse;
  let service: Service;

  beforeAll(async () => {
    server = await TestClickHouse.start();
    const env = { CLICKHOUSE_URL: `${server.url}/imports` };
    service = await startService({ dataDir, env });
  }, 60_000);
  afterAll(async () => {
    await service.stop();
    await server.remove();
    rmSync(dataDir, { recursive: true });
  });

  it('bring single clicks there', async () => {
    const owner = await ApiClient.on(service);
    const made = await request(service.url)
      .post('/api/v1/imports')
      .set({ 'X-Forwarded-For': anAddress(), ...bearer(owner.account.accessToken) })
      .attach('file', readFileSync(DUMP), 'dump.sql')
      .field('source', 'yourls_sql')
      .field('options', '{"dry_run":false}');
    expect(made.status).toBe(202);
    const { id } = made.body as { id: string };
    await eventually(async () => {
      const { body } = await owner.call('get', `/api/v1/imports/${id}`);
      expect(body.error).toBeNull();
      return body.state === 'done';
    });
    const { body } = await owner.call('get', '/api/v1/stats').query({ scope: 'all' });
    expect(body).toMatchObject({
      summary: { total_clicks: 2, unique_clicks: 2, avg_redirection_time: null },
      imported: { clicks: 6 },
    });
  });
});

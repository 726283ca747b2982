import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ApiClient } from '../../support/api-client';
import { clickHouseInstalled, TestClickHouse } from '../../support/click-house';
import { endedImport, importLimits, sendImport } from '../../support/importing';
import { type Service, startService } from '../../support/service';

const DUMP = join(__dirname, '../../fixtures/dumps/yourls-mysqldump.sql');

(clickHouseInstalled ? describe : describe.skip)('imports where clicks lie in ClickHouse', () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'curtail-imports-ch-'));
  let server: TestClickHouse;
  let service: Service;

  beforeAll(async () => {
    server = await TestClickHouse.start();
    const env = { CLICKHOUSE_URL: `${server.url}/imports`, LIMITS_FILE: importLimits() };
    service = await startService({ dataDir, env });
  });
  afterAll(async () => {
    await service.stop();
    await server.remove();
    rmSync(dataDir, { recursive: true });
  });

  it('store single clicks there', async () => {
    const owner = await ApiClient.on(service);
    const options = { dry_run: false };
    const id = await sendImport(service, owner, readFileSync(DUMP), 'yourls_sql', options);
    expect(await endedImport(owner, id)).toMatchObject({ state: 'done', error: null });
    const { body } = await owner.call('get', '/api/v1/stats').query({ scope: 'all' });
    expect(body).toMatchObject({
      summary: { total_clicks: 2, unique_clicks: 2, avg_redirection_time: null },
      imported: { clicks: 6 },
    });
  });
});

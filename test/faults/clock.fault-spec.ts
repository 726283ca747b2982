import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import request from 'supertest';
import { aLink } from '../support/factories/links';
import { anAddress, shorten, visit } from '../support/http';
import { Traffic } from '../support/traffic';
import { becomes } from '../support/health';
import { expectExact } from '../support/exact-clicks';
import { eventually, startService } from '../support/service';

const PRELOAD = join(__dirname, '../support/processes/shifted-clock.cjs');
const HOUR_S = 3600;

describe('a clock that is set back by an hour', () => {
  it('loses no click, ends no limit permanently and invalidates no code or link', async () => {
    const dataDir = mkdtempSync(join(tmpdir(), 'curtail-clock-'));
    const file = join(dataDir, 'clock-set-back');
    const env = {
      NODE_OPTIONS: `--require ${PRELOAD}`,
      CURTAIL_TEST_CLOCK: file,
    };
    let service = await startService({ dataDir, env });
    const { port, database } = service;
    const traffic = new Traffic(port, await aLink(service));
    const address = anAddress();
    const reset = async (): Promise<number> => {
      const answer = await shorten(service, { long_url: 'https://a.test/' }, address);
      expect(answer.status).toBe(201);
      return Number(answer.headers['x-ratelimit-reset']) - Date.now() / 1000;
    };
    expect(await reset()).toBeGreaterThan(0);
    await traffic.moreRedirects(50);
    writeFileSync(file, '');
    await eventually('the clock is back', async () => {
      const answer = await shorten(service, { long_url: 'https://a.test/' });
      return answer.body.created_at < Date.now() / 1000 - HOUR_S / 2;
    });
    // A window that seems longer than its length starts again and lasts 60 s by the new clock.
    expect(await reset()).toBeLessThan(-HOUR_S + 65);
    await traffic.moreRedirects(50);
    await becomes(service, 'healthy');
    const expiring = await aLink(service, { expire_after: Math.floor(Date.now() / 1000) });
    expect((await visit(service, expiring.alias)).status).toBe(302);

    const warned = () =>
      service
        .log()
        .split('\n')
        .filter((line) => line.includes("This machine's clock went back by 36"));
    await eventually('the log tells of it', () => warned().length > 0);
    expect(warned()).toHaveLength(1);

    // A restart begins with the previous clock and sets it back again.
    await service.kill('SIGKILL');
    service = await startService({ dataDir, port, database, env });
    await traffic.moreRedirects(50);
    await expectExact(service, traffic);
    expect((await request(service.url).get('/health')).body.status).toBe('healthy');
    expect(await service.stop()).toBe(0);
    rmSync(dataDir, { recursive: true, force: true });
  });
});

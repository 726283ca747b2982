import { setTimeout as sleep } from 'node:timers/promises';
import { ApiClient } from '../support/api-client';
import { aLink } from '../support/factories/links';
import { MongoProxy } from '../support/faults/mongo-proxy';
import { shorten, visit } from '../support/http';
import { Traffic } from '../support/traffic';
import { becomes, health } from '../support/health';
import { OwnEngine } from '../support/own-engine';
import { enginePid } from '../support/processes';
import { expectExact } from '../support/exact-clicks';
import { eventually, freePort, type Service, startService } from '../support/service';

/** Duration of the outage. */
const AWAY_MS = 10_000;
/** Limits the number of visits during a fixed outage. */
const PAUSE_MS = 20;

function logged(service: Service, message: string): string[] {
  return service
    .log()
    .split('\n')
    .filter((line) => line.includes(message));
}

describe('a database that is down for ten seconds', () => {
  let service: Service;
  let traffic: Traffic;
  afterEach(async () => {
    await traffic.stop();
    await service.stop();
  });

  it('loses no click and no link if it was stopped', async () => {
    const engine = new OwnEngine();
    await engine.start();
    const secret = { JWT_SECRET: 'a secret of the fault tests' };
    service = await startService({ mongoUri: engine.uri, env: secret });
    const [link, cold] = [await aLink(service), await aLink(service)];
    const client = await ApiClient.on(service);
    const clicked = await client.aLink();
    await visit(service, clicked.alias);
    const clicks = async () => (await client.show(clicked.id)).body.total_clicks as number;
    await eventually('the click is counted', async () => (await clicks()) === 1);
    traffic = new Traffic(service.port, link, 8, PAUSE_MS);
    await traffic.moreRedirects(50);
    await engine.stop();
    await becomes(service, 'unhealthy');
    const before = traffic.redirected.size;
    expect(await health(service)).toMatchObject({
      code: 503,
      checks: { database: 'error', cache: 'not_configured', mail: 'not_configured' },
    });
    const other = await fetch(`${service.url}/rest/health`);
    expect([other.status, other.headers.get('x-error-code'), await other.json()]).toMatchObject([
      ...[503, 'internal_error', { status: 'fail' }],
    ]);
    await sleep(AWAY_MS);
    // During the outage, cached links redirect. Requests that need the database get an error.
    expect(traffic.redirected.size).toBeGreaterThan(before);
    expect((await visit(service, cold.alias)).status).toBe(503);
    const refused = await shorten(service, { long_url: 'https://a.test/' });
    expect(refused.status).toBe(503);
    expect(refused.body).toMatchObject({ code: 'internal_error' });
    expect((await client.call('delete', `/api/v1/urls/${clicked.id}/clicks`)).status).toBe(503);
    await engine.start();
    await becomes(service, 'healthy');
    expect(await clicks()).toBe(1);
    expect((await visit(service, cold.alias)).status).toBe(302);
    await expectExact(service, traffic);
    expect(logged(service, 'Something went wrong on our side')).toEqual([]);
    expect(new Set(traffic.statuses.keys())).toEqual(new Set([201, 302, 503]));
    await service.stop();
    await engine.remove();
  });

  it.each([
    ['was killed', 'SIGKILL'],
    ['went on', 'SIGCONT'],
  ] as const)('loses no click and no link if the embedded engine hung and %s', async (_, then) => {
    service = await startService({ embedded: true });
    traffic = new Traffic(service.port, await aLink(service), 8, PAUSE_MS);
    await traffic.moreRedirects(50);
    const pid = enginePid(service);
    process.kill(pid, 'SIGSTOP');
    await becomes(service, 'unhealthy');
    await sleep(AWAY_MS);
    process.kill(pid, then);
    await becomes(service, 'healthy');
    await traffic.moreRedirects(50);
    await expectExact(service, traffic);
  });
});

describe('a database that hangs while closed accounts are read for the first time', () => {
  it('makes /health unhealthy, and links of accounts return 503 until it is back', async () => {
    const engine = new OwnEngine();
    await engine.start();
    const proxy = await MongoProxy.to(engine.uri);
    const options = {
      mongoUri: proxy.uri('curtail'),
      port: await freePort(),
      env: { JWT_SECRET: 'a secret of the tests' },
    };
    let service = await startService(options);
    const client = await ApiClient.on(service);
    const link = await client.aLink();
    await service.stop();

    proxy.plan = (command, collection) =>
      command === 'find' && collection === 'accounts' ? { kind: 'withhold answer' } : null;
    const starting = startService(options);
    expect((await becomes(service, 'unhealthy')).checks.database).toBe('error');
    expect(proxy.done.get('withhold answer')).toBeGreaterThan(0);
    for (const refused of [
      await visit(service, link.alias),
      await client.at(service).call('get', '/auth/me'),
    ]) {
      expect([refused.status, refused.body]).toMatchObject([503, { code: 'internal_error' }]);
      expect(refused.headers['retry-after']).toBe('1');
    }
    proxy.plan = () => null;
    await proxy.hide();
    await proxy.show();
    service = await starting;
    expect((await visit(service, link.alias)).status).toBe(302);
    await service.stop();
    await proxy.hide();
    await engine.remove();
  });
});

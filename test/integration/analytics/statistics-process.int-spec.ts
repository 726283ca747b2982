import { LocalBus } from '../../../src/infrastructure/change-bus/change-bus.module';
import { once } from 'node:events';
import { type AddressInfo, connect, createServer } from 'node:net';
import { join } from 'node:path';
import { Types } from 'mongoose';
import type { StatisticsCalls } from '../../../src/analytics/engine/statistics-engine';
import { statisticsEnvironment } from '../../../src/config/environment';
import { clickBatchEntry } from '../../../src/clicks/store/click-batch';
import { ClickStore } from '../../../src/clicks/store/click-store';
import { ClickStoreRepository } from '../../../src/clicks/store/click-store.repository';
import { CLICK_STORES } from '../../../src/clicks/store/click-store.schema';
import { LinksRepository } from '../../../src/stores/links/links.repository';
import { MongoProxy } from '../../support/faults/mongo-proxy';
import { aStoredLink } from '../../support/shared/stored-link';
import { aClick } from '../../support/shared/click.factory';
import { dropTestDatabase, openTestDatabase, testDatabaseUri } from '../../support/test-database';
import type { ProcessStatisticsEngine as Engine } from '../../../src/analytics/statistics-process/process-statistics-engine';
import type { StatisticsChild as Child } from '../../../src/program/statistics-child';
import type { LocalPrimaryClient as Primary } from '../../../src/processes/rpc/primary-client';

// The process exists only in the built program.
const built = (file: string): unknown => jest.requireActual(join(__dirname, '../../../dist', file));
const { ProcessStatisticsEngine } = built(
  'analytics/statistics-process/process-statistics-engine.js',
) as { ProcessStatisticsEngine: typeof Engine };
const { StatisticsChild, serveStatistics } = built(
  'program/statistics-child.js',
) as typeof import('../../../src/program/statistics-child');
const { LocalPrimaryClient } = built('processes/rpc/primary-client.js') as {
  LocalPrimaryClient: typeof Primary;
};
const { SupervisedChild } = built(
  'processes/child-process/supervised-child.js',
) as typeof import('../../../src/processes/child-process/supervised-child');
const { spawning } = built(
  'processes/child-process/child-run.js',
) as typeof import('../../../src/processes/child-process/child-run');
const SCRIPT = join(__dirname, '../../../dist/analytics/statistics-process/statistics.process.js');

const question = {
  source: { links: [{ id: 'f'.repeat(24), alias: 'none' }] },
  query: { start: 0, end: 1, dimensions: [], filters: {}, buckets: null },
  ...{ client: { key: 'ann' }, requestKey: null, clicks: null, isPublic: false },
};

interface Running {
  engine: Engine;
  kill: () => Promise<unknown>;
}

async function withProcess(uri: string, use: (running: Running) => Promise<void>): Promise<void> {
  const env = statisticsEnvironment({ mongoUri: uri, clickHouse: null, memoryMb: 64, threads: 2 });
  const silent = { info: () => undefined, warn: () => undefined, error: () => undefined };
  const child = new SupervisedChild<StatisticsCalls>({
    name: 'statistics',
    logger: silent,
    prepare: () =>
      spawning({ command: process.execPath, args: [SCRIPT], env, serialization: 'advanced' }),
  });
  const statistics: Child = new StatisticsChild(() => child);
  serveStatistics(statistics, null);
  const engine = new ProcessStatisticsEngine(new LocalPrimaryClient(), new LocalBus());
  const kill = (): Promise<unknown> => {
    process.kill(child.pid ?? 0, 'SIGKILL');
    return once(child, 'down');
  };
  try {
    await use({ engine, kill });
  } finally {
    await statistics.stop(10_000);
  }
}

describe('The statistics process', () => {
  it('returns 503, never zeros, while the database is unreachable', () =>
    withProcess('mongodb://127.0.0.1:9/none', async ({ engine }) => {
      await expect(engine.count(question, 10)).rejects.toMatchObject({
        name: 'DatabaseUnavailableError',
        status: 503,
        code: 'internal_error',
      });
    }));

  it('returns its first result even if connecting takes longer than a query waits', async () => {
    const proxy = await MongoProxy.to(testDatabaseUri());
    const { port } = new URL(proxy.uri('none'));
    let isHeld = true;
    const gate = createServer((client) => {
      client.on('error', () => undefined);
      if (isHeld) {
        // Once it closes the connection, the process no longer waits for a reply.
        client.resume().on('close', () => (isHeld = false));
      } else {
        const onward = connect(Number(port), '127.0.0.1').on('error', () => client.destroy());
        client.pipe(onward).pipe(client);
      }
    });
    await once(gate.listen(0, '127.0.0.1'), 'listening');
    const address = gate.address() as AddressInfo;
    const uri = proxy.uri('none').replace(port, String(address.port));
    await withProcess(uri, async ({ engine }) => {
      expect(await engine.count(question, 10)).toMatchObject({ summary: { clicks: 0 } });
    }).finally(() => gate.close());
    expect(isHeld).toBe(false);
    await proxy.hide();
  });

  it('returns results once the database is reachable, even if its first query failed', async () => {
    const proxy = await MongoProxy.to(testDatabaseUri());
    await proxy.hide();
    await withProcess(proxy.uri('none'), async ({ engine }) => {
      await expect(engine.count(question, 10)).rejects.toMatchObject({ status: 503 });
      await proxy.show();
      expect(await engine.count(question, 10)).toMatchObject({ summary: { clicks: 0 } });
    });
    await proxy.hide();
  });

  it('returns 500 for an invalid query, and continues', () =>
    withProcess(testDatabaseUri(), async ({ engine }) => {
      await expect(engine.rows(7, 'os', 0, 1)).rejects.toMatchObject({ status: 500 });
      expect(await engine.count(question, 10)).toMatchObject({ summary: { clicks: 0 } });
    }));

  it('stops cancelled queries, and continues', () =>
    withProcess(testDatabaseUri(), async ({ engine }) => {
      const later = new AbortController();
      const client = { key: 'ann', signal: later.signal };
      expect(await engine.count({ ...question, client }, 10)).toMatchObject({
        summary: { clicks: 0 },
      });
      const cancelled = engine.count({ ...question, client }, 10);
      later.abort();
      await expect(cancelled).rejects.toMatchObject({
        name: 'StatisticsAbandonedError',
        status: 503,
      });
      expect(await engine.count(question, 10)).toMatchObject({ summary: { clicks: 0 } });
    }));

  it('fails the running queries when it ends unexpectedly, and is restarted', () =>
    withProcess(testDatabaseUri(), async ({ engine, kill }) => {
      await engine.count(question, 10);
      const asked = engine.count(question, 10);
      const failed = expect(asked).rejects.toMatchObject({
        status: 503,
        headers: { 'Retry-After': '10' },
      });
      await kill();
      await failed;
      expect(await engine.count(question, 10)).toMatchObject({ summary: { clicks: 0 } });
    }));

  it('reports how much memory the query needs, and the remedy', async () => {
    const uri = testDatabaseUri();
    const connection = await openTestDatabase(uri);
    const id = await aStoredLink(connection);
    const stores = new ClickStoreRepository(connection);
    await new ClickStore(stores, new LinksRepository(connection)).record({
      ...{ node: 'aaaa0001', number: 1 },
      entries: [clickBatchEntry(id, [aClick({ at: 5 })])],
    });
    await connection
      .collection(CLICK_STORES)
      .updateOne({ _id: new Types.ObjectId(id) }, { $set: { total: 1e8, 'tail.0.n': 1e8 } });
    await withProcess(uri, async ({ engine }) => {
      const source = { links: [{ id, alias: 'large' }] };
      await expect(engine.count({ ...question, source }, 10)).rejects.toMatchObject({
        name: 'StatisticsMemoryError',
        status: 503,
        message: expect.stringMatching(
          /^These statistics need about \d{4} MB of memory \(\d+ bytes\)/,
        ),
        hint: expect.stringMatching(/STATISTICS_MEMORY_MB .* CLICKHOUSE_URL/),
      });
      expect(await engine.count(question, 10)).toMatchObject({ summary: { clicks: 0 } });
    });
    await dropTestDatabase(connection);
  });
});

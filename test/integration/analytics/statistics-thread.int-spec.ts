import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { mongo } from 'mongoose';
import { clickBatchEntry } from '../../../src/clicks/store/click-batch';
import { ClickStore } from '../../../src/clicks/store/click-store';
import { ClickStoreRepository } from '../../../src/clicks/store/click-store.repository';
import { CLICK_STORES } from '../../../src/clicks/store/click-store.schema';
import { LinksRepository } from '../../../src/links/links.repository';
import { aStoredLink } from '../../../src/testing/stored-link';
import { eventually } from '../../../src/testing/eventually';
import { aClick } from '../../../src/testing/click.factory';
import { dropTestDatabase, openTestDatabase, testDatabaseUri } from '../../support/test-database';
import type * as Built from '../../../src/analytics/statistics-process/statistics-thread';

// The worker thread exists in the built program only.
const BUILT = join(__dirname, '../../../dist/analytics/statistics-process/statistics-thread.js');

const request = {
  source: { links: [{ id: 'f'.repeat(24), alias: 'none' }] },
  query: { start: 0, end: 1, dimensions: [], filters: {}, buckets: null },
  rows: 10,
};

async function withThread(
  uri: string,
  use: (thread: Built.StatisticsThread, folder: string) => Promise<void>,
): Promise<void> {
  const { StatisticsThread } = (await import(BUILT)) as typeof Built;
  const folder = mkdtempSync(join(tmpdir(), 'curtail-snapshot-'));
  const snapshot = { folder: join(folder, 'statistics'), everyMs: 50, worthClicks: 1 };
  const thread = new StatisticsThread({ mongoUri: uri, memoryMb: 64, threads: 2, snapshot });
  try {
    await use(thread, snapshot.folder);
  } finally {
    await thread.stop();
    rmSync(folder, { recursive: true });
  }
}

describe('The statistics thread', () => {
  it('answers 503 while the database is away, never zeros', () =>
    withThread('mongodb://127.0.0.1:9/none', async (thread) => {
      await expect(thread.count('count', request)).rejects.toMatchObject({
        name: 'DatabaseUnavailableError',
        status: 503,
        code: 'internal_error',
      });
    }));

  it('answers 500 to what it cannot count, and goes on', () =>
    withThread(testDatabaseUri(), async (thread) => {
      const impossible = { cursorId: 7, dimension: 'os', from: 0, count: 1 } as const;
      await expect(thread.call('rows', impossible)).rejects.toMatchObject({ status: 500 });
      const answer = await thread.count('count', request);
      expect(answer).toMatchObject({ summary: { clicks: 0 } });
    }));

  it('answers 503 to what is cancelled, and goes on', () =>
    withThread(testDatabaseUri(), async (thread) => {
      await expect(thread.count('count', request, AbortSignal.abort())).rejects.toMatchObject({
        name: 'StatisticsBusyError',
        status: 503,
      });
      const later = new AbortController();
      expect(await thread.count('count', request, later.signal)).toMatchObject({
        summary: { clicks: 0 },
      });
      later.abort();
      expect(await thread.count('count', request)).toMatchObject({ summary: { clicks: 0 } });
    }));

  it('fails what is under way when it dies, and is started anew', () =>
    withThread(testDatabaseUri(), async (thread) => {
      await thread.count('count', request);
      const asked = thread.count('count', request);
      const failed = expect(asked).rejects.toMatchObject({ status: 500 });
      await thread.stop();
      await failed;
      expect(await thread.count('count', request)).toMatchObject({ summary: { clicks: 0 } });
    }));

  it('answers out of what it held before it was killed', async () => {
    const uri = testDatabaseUri();
    const connection = await openTestDatabase(uri);
    const id = await aStoredLink(connection);
    const source = { links: [{ id, alias: 'kept' }] };
    const query = { ...request.query, end: 10_000, dimensions: ['city' as const] };
    const stores = new ClickStoreRepository(connection);
    await new ClickStore(stores, new LinksRepository(connection)).record({
      ...{ node: 'aaaa0001', number: 1 },
      entries: [clickBatchEntry(id, [aClick({ at: 5 }), aClick({ at: 7 })])],
    });
    await withThread(uri, async (thread, folder) => {
      const before = await thread.count('count', { source, query, rows: 10 });
      expect(before).toMatchObject({ summary: { clicks: 2 } });
      await eventually(() => existsSync(join(folder, 'index')));
      await thread.stop();
      // Whoever reads the stored clicks from now on finds them damaged.
      await connection
        .collection<{ tail: { data: mongo.Binary }[] }>(CLICK_STORES)
        .updateMany({}, { $set: { 'tail.$[].data': new mongo.Binary(Buffer.from('x')) } });
      expect(await thread.count('count', { source, query, rows: 10 })).toEqual(before);
    });
    await dropTestDatabase(connection);
  });
});

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { testDatabaseUri } from '../../support/test-database';
import type * as Built from '../../../src/analytics/engine/statistics-thread';

// The worker thread exists in the built program only.
const BUILT = join(__dirname, '../../../dist/analytics/engine/statistics-thread.js');

const request = {
  source: { links: [{ id: 'f'.repeat(24), alias: 'none' }] },
  query: { start: 0, end: 1, dimensions: [], filters: {}, buckets: null },
  rows: 10,
};

async function withThread(
  uri: string,
  use: (thread: Built.StatisticsThread) => Promise<void>,
): Promise<void> {
  const { StatisticsThread } = (await import(BUILT)) as typeof Built;
  const folder = mkdtempSync(join(tmpdir(), 'curtail-snapshot-'));
  const snapshotDir = join(folder, 'statistics');
  const thread = new StatisticsThread({ mongoUri: uri, memoryMb: 64, threads: 2, snapshotDir });
  try {
    await use(thread);
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
});

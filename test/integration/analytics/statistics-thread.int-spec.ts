import { join } from 'node:path';
import { testDatabaseUri } from '../../support/test-database';
import type * as Built from '../../../src/analytics/engine/statistics-thread';
import type { EngineRequest } from '../../../src/analytics/engine/engine-messages';

// The worker thread exists in the built program only.
const BUILT = join(__dirname, '../../../dist/analytics/engine/statistics-thread.js');

const question: EngineRequest = {
  kind: 'count',
  source: { links: [{ id: 'f'.repeat(24), alias: 'none' }] },
  question: { start: 0, end: 1, dimensions: [], filters: {}, buckets: null },
  rows: 10,
};

async function withThread(
  uri: string,
  use: (thread: Built.StatisticsThread) => Promise<void>,
): Promise<void> {
  const { StatisticsThread } = (await import(BUILT)) as typeof Built;
  const thread = new StatisticsThread({ uri, embedded: false });
  try {
    await use(thread);
  } finally {
    await thread.onApplicationShutdown();
  }
}

describe('The statistics thread', () => {
  it('answers 503 while the database is away, never zeros', () =>
    withThread('mongodb://127.0.0.1:9/none', async (thread) => {
      await expect(thread.ask(question)).rejects.toMatchObject({
        name: 'DatabaseUnavailableError',
        status: 503,
        code: 'internal_error',
      });
    }));

  it('answers 500 to what it cannot count, and goes on', () =>
    withThread(testDatabaseUri(), async (thread) => {
      const impossible = { kind: 'rows', cursorId: 7, dimension: 'os', from: 0, count: 1 } as const;
      await expect(thread.ask(impossible)).rejects.toMatchObject({ status: 500 });
      const answer = await thread.ask(question);
      expect(answer).toMatchObject({ summary: { clicks: 0 } });
    }));

  it('answers 503 to what is cancelled, and goes on', () =>
    withThread(testDatabaseUri(), async (thread) => {
      await expect(thread.ask(question, AbortSignal.abort())).rejects.toMatchObject({
        name: 'StatisticsBusyError',
        status: 503,
      });
      const later = new AbortController();
      expect(await thread.ask(question, later.signal)).toMatchObject({ summary: { clicks: 0 } });
      later.abort();
      expect(await thread.ask(question)).toMatchObject({ summary: { clicks: 0 } });
    }));

  it('fails what is under way when it dies, and is started anew', () =>
    withThread(testDatabaseUri(), async (thread) => {
      await thread.ask(question);
      const asked = thread.ask(question);
      const failed = expect(asked).rejects.toMatchObject({ status: 500 });
      await thread.onApplicationShutdown();
      await failed;
      expect(await thread.ask(question)).toMatchObject({ summary: { clicks: 0 } });
    }));
});

import { QuietLogger } from '../../../test/support/shared/quiet-logger';
import { ExpiredDocuments } from './expired-documents';

describe('ExpiredDocuments', () => {
  it('runs for every owner, even after a failure', async () => {
    const documents = new ExpiredDocuments({ uri: '', embedded: true }, new QuietLogger());
    const asked: Date[] = [];
    documents.register('broken', () => Promise.reject(new Error('the database is down')));
    documents.register('codes', (now) => {
      asked.push(now);
      return Promise.resolve(1);
    });
    const now = new Date();
    await documents.purge(now);
    expect(asked).toEqual([now]);
  });

  it.each([
    [true, 1],
    [false, 0],
  ])('runs on its own only on the embedded engine (embedded: %s)', (embedded, rounds) => {
    jest.useFakeTimers();
    const documents = new ExpiredDocuments({ uri: '', embedded }, new QuietLogger());
    let count = 0;
    documents.register('codes', () => Promise.resolve(count++));
    documents.onApplicationBootstrap();
    jest.advanceTimersByTime(15 * 60_000);
    documents.onModuleDestroy();
    jest.advanceTimersByTime(60 * 60_000);
    jest.useRealTimers();
    expect(count).toBe(rounds);
  });
});

import { type Connection, Schema } from 'mongoose';
import { QuietLogger } from '../../../test/support/shared/quiet-logger';
import { ExpiredDocuments } from './expired-documents';

const EXPIRING = new Schema({}).index({ expires_at: 1 }, { expireAfterSeconds: 0 });

function aModel(name: string, deletedCount: number, schema = EXPIRING) {
  return {
    schema,
    collection: { name },
    deleteMany: jest.fn(() => Promise.resolve({ deletedCount })),
  };
}

function expiredDocuments(models: object, embedded = true) {
  const connection = { models } as Pick<Connection, 'models'>;
  return new ExpiredDocuments(connection, { uri: '', embedded }, new QuietLogger());
}

describe('ExpiredDocuments', () => {
  it('removes expired documents from each collection, even after a failure', async () => {
    const broken = aModel('broken', 0);
    broken.deleteMany.mockRejectedValue(new Error('the database is down'));
    const codes = aModel('codes', 1);
    const links = aModel('links', 1, new Schema({}).index({ alias: 1 }));
    const now = new Date();
    await expiredDocuments({ broken, links, codes }).purge(now);
    expect(codes.deleteMany.mock.calls).toEqual([[{ expires_at: { $lte: now } }]]);
    expect(links.deleteMany).not.toHaveBeenCalled();
  });

  it.each([
    [true, 1],
    [false, 0],
  ])('runs automatically only on the embedded engine (embedded: %s)', (embedded, rounds) => {
    jest.useFakeTimers();
    const codes = aModel('codes', 0);
    const documents = expiredDocuments({ codes }, embedded);
    documents.onApplicationBootstrap();
    jest.advanceTimersByTime(15 * 60_000);
    documents.onModuleDestroy();
    jest.advanceTimersByTime(60 * 60_000);
    jest.useRealTimers();
    expect(codes.deleteMany).toHaveBeenCalledTimes(rounds);
  });
});

import { createRequire } from 'node:module';
import { mongo } from 'mongoose';
import './driver-repair';

const { BSON, Long } = mongo;
const load = createRequire(require.resolve('mongoose'));
const { CursorResponse } = load('mongodb/lib/cmap/wire_protocol/responses') as {
  CursorResponse: new (bytes: Uint8Array) => {
    readonly length: number;
    shift(options?: { raw?: boolean }): unknown;
  };
};

describe('A batch of documents', () => {
  it.each(['firstBatch', 'nextBatch'])('can be read as bytes and as objects (%s)', (name) => {
    const documents = [{ a: 1 }, {}, { text: 'é', list: [{ b: null }] }, { last: true }];
    const cursor = { id: Long.ZERO, ns: 'db.links', [name]: documents };
    const response = new CursorResponse(BSON.serialize({ cursor, ok: 1 }));
    const raw = () => BSON.deserialize(response.shift({ raw: true }) as Uint8Array);
    expect([raw(), raw(), response.shift(), raw()]).toEqual(documents);
    expect(response.length).toBe(0);
    expect(response.shift({ raw: true })).toBeNull();
  });
});

describe('A pool of connections', () => {
  const { ConnectionPool } = load('mongodb/lib/cmap/connection_pool') as {
    ConnectionPool: { prototype: { ensureMinPoolSize(): void } };
  };

  beforeEach(() => jest.useFakeTimers());
  afterEach(() => jest.useRealTimers());

  it('is checked every five seconds until it is closed', () => {
    const prune = jest.fn();
    const pool = {
      ...{ poolState: 'ready', connections: { prune }, totalConnectionCount: 1 },
      options: { minPoolSize: 0, maxConnecting: 2 },
      ensureMinPoolSize: (): void => ConnectionPool.prototype.ensureMinPoolSize.call(pool),
    };
    pool.ensureMinPoolSize();
    jest.advanceTimersByTime(4999);
    expect(prune).toHaveBeenCalledTimes(1);
    jest.advanceTimersByTime(1);
    expect(prune).toHaveBeenCalledTimes(2);
    pool.poolState = 'closed';
    jest.advanceTimersByTime(5000);
    expect([prune.mock.calls.length, jest.getTimerCount()]).toEqual([2, 0]);
  });
});

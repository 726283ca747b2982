import { randomBytes } from 'node:crypto';
import { type Connection, mongo } from 'mongoose';
import type { Click } from '../../../src/engines/click-engine/chunk/click';
import { ClickStore } from '../../../src/clicks/store/click-store';
import { type ClickBatch, clickBatchEntry } from '../../../src/clicks/store/click-batch';
import { ClickStoreRepository } from '../../../src/clicks/store/click-store.repository';
import { LinksRepository } from '../../../src/stores/links/links.repository';
import { aClick } from '../../support/shared/click.factory';
import { aStoredLink, storedLink } from '../../support/shared/stored-link';
import { clicksInChunks, storedClickStore } from '../../support/click-store-reading';
import { dropTestDatabase, openTestDatabase, testDatabaseUri } from '../../support/test-database';

let connection: Connection;
let repository: ClickStoreRepository;
let store: ClickStore;

beforeAll(async () => {
  connection = await openTestDatabase(testDatabaseUri());
  repository = new ClickStoreRepository(connection);
  store = new ClickStore(repository, new LinksRepository(connection));
  await repository.ensureIndexes();
});
afterAll(() => dropTestDatabase(connection));

const NODE = 'a1b2c3d4';
const someClicks = (count: number, changes: Partial<Click> = {}) =>
  Array.from({ length: count }, (_, i) => aClick({ at: 1_000_000 + i, ...changes }));

function aBatch(number: number, clicks: Record<string, Click[]>, node = NODE): ClickBatch {
  const entries = Object.entries(clicks).map(([id, list]) => clickBatchEntry(id, list));
  return { node, number, entries };
}

/** Creates incompressible clicks, because each has a new visitor and campaign. */
const wildClicks = (count: number) =>
  Array.from({ length: count }, (_, i) =>
    aClick({ at: i, visitor: randomBytes(12).toString('hex'), utmCampaign: `c${i}` }),
  );

describe('Recording a batch', () => {
  it('stores every click and updates the link’s totals', async () => {
    const link = await aStoredLink(connection);
    await store.record(aBatch(1, { [link]: someClicks(3) }));
    await store.record(aBatch(2, { [link]: someClicks(2, { at: 500, slot: true }) }));
    expect(await storedClickStore(connection, link)).toMatchObject({
      total: 5,
      open: 3,
      first: new Date(500),
      last: new Date(1_000_002),
      tail_n: 2,
      rev: 2,
      blocks: [],
      marks: { [NODE]: 2 },
    });
    expect(await clicksInChunks(connection, link)).toBe(5);
    expect(await storedLink(connection, link)).toMatchObject({
      total_clicks: 5,
      open_clicks: 3,
      last_click: new Date(1_000_002),
      status: 'ACTIVE',
      closed_by_limit: false,
    });
  });

  it('a second time changes nothing', async () => {
    const [a, b] = [await aStoredLink(connection), await aStoredLink(connection)];
    const batch = aBatch(7, { [a]: someClicks(3), [b]: wildClicks(2000) });
    await store.record(batch);
    const before = [await storedClickStore(connection, a), await storedClickStore(connection, b)];
    await store.record(batch);
    expect([await storedClickStore(connection, a), await storedClickStore(connection, b)]).toEqual(
      before,
    );
    expect(await storedLink(connection, b)).toMatchObject({ total_clicks: 2000 });
    expect(await clicksInChunks(connection, b)).toBe(2000);
  });

  it('of another node counts separately, even if both create the store concurrently', async () => {
    const links = await Promise.all(Array.from({ length: 50 }, () => aStoredLink(connection)));
    const clicks = Object.fromEntries(links.map((id) => [id, someClicks(2)]));
    await Promise.all(
      ['0000000a', '0000000b', '0000000c'].map((node) => store.record(aBatch(1, clicks, node))),
    );
    await store.record(aBatch(1, clicks, '0000000b'));
    for (const link of links) {
      expect(await clicksInChunks(connection, link)).toBe(6);
      expect(await storedLink(connection, link)).toMatchObject({ total_clicks: 6 });
    }
  });

  it('stores a large chunk as a block that the store references', async () => {
    const link = await aStoredLink(connection);
    await store.record(aBatch(3, { [link]: wildClicks(120_000) }));
    const stored = await storedClickStore(connection, link);
    expect(stored).toMatchObject({ total: 120_000, tail: [], tail_n: 0, tail_bytes: 0 });
    expect(stored?.blocks.length).toBeGreaterThan(1);
    expect(await clicksInChunks(connection, link)).toBe(120_000);
  });

  it('closes a link whose limit it reaches, and no other link', async () => {
    const limited = { max_clicks: 5, slots_taken: 2 };
    const [full, free, unlimited] = [
      await aStoredLink(connection, limited),
      await aStoredLink(connection, limited),
      await aStoredLink(connection),
    ];
    await store.record(
      aBatch(1, {
        [full]: [...someClicks(3), ...someClicks(2, { slot: true })],
        [free]: [...someClicks(2), ...someClicks(2, { slot: true })],
        [unlimited]: someClicks(100),
      }),
    );
    const closed = { status: 'INACTIVE', closed_by_limit: true };
    const open = { status: 'ACTIVE', closed_by_limit: false };
    expect(await storedLink(connection, full)).toMatchObject({ ...closed, total_clicks: 5 });
    expect(await storedLink(connection, free)).toMatchObject({ ...open, total_clicks: 4 });
    expect(await storedLink(connection, unlimited)).toMatchObject(open);
  });

  it('does not reopen a link that its owner has closed', async () => {
    const link = await aStoredLink(connection, { max_clicks: 1, status: 'INACTIVE' });
    await store.record(aBatch(1, { [link]: someClicks(2) }));
    expect(await storedLink(connection, link)).toMatchObject({
      status: 'INACTIVE',
      closed_by_limit: false,
    });
  });

  it('leaves no data of a link that is deleted meanwhile', async () => {
    const [gone, kept] = ['f'.repeat(24), await aStoredLink(connection)];
    await store.record(aBatch(1, { [gone]: wildClicks(2000), [kept]: someClicks(1) }));
    expect(await storedClickStore(connection, gone)).toBeNull();
    const blocks = await connection.collection('click_blocks').find().toArray();
    expect(blocks.filter(({ link }) => String(link) === gone)).toEqual([]);
    expect(await clicksInChunks(connection, kept)).toBe(1);
  });
});

describe('An interrupted batch', () => {
  function breakingAt(step: number): ClickStore {
    let count = 0;
    const guard =
      <A extends unknown[], R>(run: (...args: A) => Promise<R>) =>
      async (...args: A): Promise<R> => {
        if (++count === step) throw new Error(`broken before step ${step}`);
        const result = await run(...args);
        if (++count === step) throw new Error(`broken after step ${step}`);
        return result;
      };
    const stores = new ClickStoreRepository(connection);
    const links = new LinksRepository(connection);
    stores.apply = guard(stores.apply.bind(stores));
    stores.remove = guard(stores.remove.bind(stores));
    stores.findTotals = guard(stores.findTotals.bind(stores));
    links.missing = guard(links.missing.bind(links));
    links.raiseTotals = guard(links.raiseTotals.bind(links));
    links.closeUsedUp = guard(links.closeUsedUp.bind(links));
    return new ClickStore(stores, links);
  }

  it.each([1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12])(
    'at point %i is counted exactly once when repeated',
    async (step) => {
      const [a, b] = [await aStoredLink(connection), await aStoredLink(connection)];
      const gone = randomBytes(12).toString('hex');
      const batch = aBatch(20, {
        [a]: someClicks(3),
        [b]: wildClicks(1500),
        [gone]: someClicks(1),
      });
      await expect(breakingAt(step).record(batch)).rejects.toThrow('broken');
      await store.record(batch);
      expect(await clicksInChunks(connection, a)).toBe(3);
      expect(await clicksInChunks(connection, b)).toBe(1500);
      expect(await storedLink(connection, a)).toMatchObject({ total_clicks: 3 });
      expect(await storedLink(connection, b)).toMatchObject({ total_clicks: 1500 });
      expect(await storedClickStore(connection, gone)).toBeNull();
    },
  );

  it('between a stored block and its store, or between two stores, is counted exactly once', async () => {
    const [a, b] = [await aStoredLink(connection), await aStoredLink(connection)];
    const whole = aBatch(30, { [a]: wildClicks(1500), [b]: someClicks(4) });
    await repository.apply({ ...whole, entries: whole.entries.slice(0, 1) });
    await connection.collection('ledgers').deleteMany({ total: 1500, 'marks.a1b2c3d4': 30 });
    await repository.apply({ ...whole, entries: whole.entries.slice(1) });
    await store.record(whole);
    expect(await clicksInChunks(connection, a)).toBe(1500);
    expect(await clicksInChunks(connection, b)).toBe(4);
  });

  it('with an entry that fits no store returns its link and records the others', async () => {
    const [a, b] = [await aStoredLink(connection), await aStoredLink(connection)];
    const full = Buffer.alloc(16 * 1024 * 1024 - 400);
    await connection.collection('ledgers').insertOne({
      _id: new mongo.ObjectId(a),
      tail: [{ n: 1, data: full }],
      blocks: [],
    });
    const batch = aBatch(40, { [a]: someClicks(500), [b]: someClicks(2) });
    expect(await store.record(batch)).toEqual([a]);
    expect(await clicksInChunks(connection, b)).toBe(2);
    expect((await storedClickStore(connection, a))?.tail).toHaveLength(1);
  });
});

import { type Connection, mongo } from 'mongoose';
import { ClickStore } from '../../../src/clicks/store/click-store';
import {
  type ClickBatch,
  clickBatchEntry,
  type ClickBatchEntry,
} from '../../../src/clicks/store/click-batch';
import { ClickStoreRepository } from '../../../src/clicks/store/click-store.repository';
import { LinksRepository } from '../../../src/stores/links/links.repository';
import { aClick } from '../../support/shared/click.factory';
import { aStoredLink, storedLink } from '../../support/shared/stored-link';
import { clicksInChunks, storedClickStore } from '../../support/click-store-reading';
import { dropTestDatabase, openTestDatabase, testDatabaseUri } from '../../support/test-database';

let connection: Connection;
let repository: ClickStoreRepository;
let store: ClickStore;
let links: string[];

const LINKS = 150;
const NODE = '12345678';
const DAY_MS = 86_400_000;

beforeAll(async () => {
  connection = await openTestDatabase(testDatabaseUri());
  repository = new ClickStoreRepository(connection);
  store = new ClickStore(repository, new LinksRepository(connection));
  await repository.ensureIndexes();
});
beforeEach(async () => {
  links = await Promise.all(Array.from({ length: LINKS }, () => aStoredLink(connection)));
});
afterAll(() => dropTestDatabase(connection));

/** Link n has n % 5 + 1 clicks on its own day; the last one used no slot. */
function entriesOf(ids: readonly string[]): ClickBatchEntry[] {
  return ids.map((id) => {
    const n = links.indexOf(id);
    const clicks = Array.from({ length: (n % 5) + 1 }, (_, i) =>
      aClick({ at: n * DAY_MS + i, slot: i < n % 5 }),
    );
    return clickBatchEntry(id, clicks);
  });
}

function aBatch(number: number, ids: readonly string[] = links, node = NODE): ClickBatch {
  return { node, number, entries: entriesOf(ids) };
}

/** Expects each link's store, chunks and totals to contain its clicks `times` times. */
async function expectTimes(times: number, ids: readonly string[] = links): Promise<void> {
  for (const id of ids) {
    const n = links.indexOf(id);
    const total = times * ((n % 5) + 1);
    expect(await storedClickStore(connection, id)).toMatchObject({
      ...{ total, open: times, tail_n: times, rev: times, blocks: [] },
      first: new Date(n * DAY_MS),
      last: new Date(n * DAY_MS + (n % 5)),
      tail: Array.from({ length: times }, () => ({ n: (n % 5) + 1 })),
    });
    expect(await clicksInChunks(connection, id)).toBe(total);
    expect(await storedLink(connection, id)).toMatchObject({
      ...{ total_clicks: total, open_clicks: times, last_click: new Date(n * DAY_MS + (n % 5)) },
    });
  }
}

describe('A batch over many links', () => {
  it('adds the right clicks to each link, with and without a store', async () => {
    await store.record(aBatch(1));
    await expectTimes(1);
    await store.record(aBatch(2));
    await expectTimes(2);
  });

  it('is completed if an earlier attempt has recorded only a part of it', async () => {
    const [some, others] = [links.slice(0, 70), links.slice(40)];
    await store.record(aBatch(1, others));
    await repository.apply(aBatch(2, some.slice(0, 50)));
    await store.record(aBatch(2, some));
    await store.record(aBatch(2, some));
    await expectTimes(1, links.slice(0, 40));
    await expectTimes(2, links.slice(40, 70));
    await expectTimes(1, links.slice(70));
  });

  it('is counted once for two concurrent attempts, as after a killed recorder', async () => {
    await store.record(aBatch(1));
    await Promise.all([1, 2, 3].map(() => store.record(aBatch(2))));
    await expectTimes(2);
    const fresh = await Promise.all(Array.from({ length: LINKS }, () => aStoredLink(connection)));
    links = fresh;
    await Promise.all([1, 2, 3].map(() => store.record(aBatch(3))));
    await expectTimes(1);
  });

  it('is counted separately from concurrent batches of other nodes', async () => {
    await Promise.all(
      ['0000000a', '0000000b', '00000001'].map((node) => store.record(aBatch(5, links, node))),
    );
    await expectTimes(3);
    expect((await storedClickStore(connection, links[7] ?? ''))?.marks).toEqual({
      ...{ '0000000a': 5, '0000000b': 5, '00000001': 5 },
    });
  });

  it('returns the link of a damaged store and records the others', async () => {
    await store.record(aBatch(1));
    const [damaged = '', ...others] = links;
    await connection
      .collection('ledgers')
      .updateOne({ _id: new mongo.ObjectId(damaged) }, { $set: { tail: 'damaged' } });
    expect(await store.record(aBatch(2))).toEqual([damaged]);
    expect(await storedClickStore(connection, damaged)).toMatchObject({ total: 1, rev: 1 });
    await expectTimes(2, others);
  });

  it('updates the time stamp that lists depend on each time', async () => {
    const stamp = async (): Promise<number> => {
      const link = (await storedLink(connection, links[3] ?? '')) as unknown as {
        touched_at: Date;
      };
      return link.touched_at.getTime();
    };
    const before = Date.now();
    await store.record(aBatch(1));
    const first = await stamp();
    // Simulates a change after the statement has started.
    const later = new Date(Date.now() + 60_000);
    await connection.collection('links').updateMany({}, { $set: { touched_at: later } });
    await store.record(aBatch(2));
    expect(first).toBeGreaterThanOrEqual(before);
    expect(await stamp()).toBe(later.getTime() + 1);
  });
});

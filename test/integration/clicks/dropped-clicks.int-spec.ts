import { randomBytes } from 'node:crypto';
import { type Connection, mongo } from 'mongoose';
import { AuditRepository } from '../../../src/clicks/audit/audit.repository';
import { ClickAudit } from '../../../src/clicks/audit/click-audit';
import { ClicksDeletedError } from '../../../src/clicks/clicks.errors';
import {
  type ClickBatch,
  clickBatchEntry,
  tallyEntry,
} from '../../../src/clicks/store/click-batch';
import { ClickStore } from '../../../src/clicks/store/click-store';
import { ClickStoreRepository } from '../../../src/clicks/store/click-store.repository';
import { DroppedClicksRepository } from '../../../src/clicks/store/dropped-clicks.repository';
import type { Click } from '../../../src/engines/click-engine/chunk/click';
import { LinkSchema } from '../../../src/stores/links/link.schema';
import { LinksRepository } from '../../../src/stores/links/links.repository';
import { clicksInChunks, storedClickStore } from '../../support/click-store-reading';
import { aClick } from '../../support/shared/click.factory';
import { aStoredLink, storedLink } from '../../support/shared/stored-link';
import { dropTestDatabase, openTestDatabase, testDatabaseUri } from '../../support/test-database';

const OWNER = new mongo.ObjectId();
const NODE = 'a1b2c3d4';
const at = new Date(5000);

let connection: Connection;
let links: LinksRepository;
let stores: ClickStoreRepository;
let dropped: DroppedClicksRepository;
let store: ClickStore;
let link: string;

beforeAll(async () => {
  connection = await openTestDatabase(testDatabaseUri());
  links = new LinksRepository(connection);
  stores = new ClickStoreRepository(connection);
  dropped = new DroppedClicksRepository(connection);
  store = new ClickStore(stores, links);
  await stores.ensureIndexes();
  await connection.model('Link', LinkSchema).createIndexes();
});
beforeEach(async () => {
  link = await aStoredLink(connection, { owner: OWNER });
});
afterAll(() => dropTestDatabase(connection));

/** Clicks at these times; large ones do not fit into a click store. */
const clicksAt = (times: readonly number[], isLarge = false): Click[] =>
  times.flatMap((time) =>
    Array.from({ length: isLarge ? 200 : 1 }, (_, i) =>
      aClick({ at: time, visitor: randomBytes(12).toString('hex'), utmCampaign: `c${i}` }),
    ),
  );
const aBatch = (number: number, clicks: Click[], toEntry = clickBatchEntry): ClickBatch => {
  return { node: NODE, number, entries: [toEntry(link, clicks)] };
};
const deleteClicks = async (time = at): Promise<void> => {
  await links.dropClicks(OWNER.toHexString(), [link], time);
  await dropped.drop([link], time);
  await links.raiseTotals(await stores.findTotals([link]));
};
const differences = async (): Promise<number> => {
  const report = () => undefined;
  const audit = new ClickAudit(new AuditRepository(connection), {
    ...{ repair: true, report, settleMs: 0 },
  });
  return (await audit.run()).differences;
};
async function expectClicks(total: number, last: Date | null): Promise<void> {
  const stored = await storedClickStore(connection, link);
  expect([stored?.total, stored?.last ?? null]).toEqual([total, last]);
  expect(await clicksInChunks(connection, link)).toBe(total);
  expect(await storedLink(connection, link)).toMatchObject({
    total_clicks: total,
    open_clicks: total,
    last_click: last,
  });
}

describe('The deletion of clicks in a click store', () => {
  it.each([
    ['in a small chunk', false, 1],
    ['in a block', true, 200],
  ])('drops earlier clicks and keeps later ones %s', async (_, isLarge, each) => {
    await store.record(aBatch(1, clicksAt([1000, 4000], isLarge)));
    await store.record(aBatch(2, clicksAt([4999, 5000, 5001, 6000], isLarge)));
    await deleteClicks();
    await expectClicks(2 * each, new Date(6000));
    while (await dropped.removeBlocks(link, at, 1));
    await expectClicks(2 * each, new Date(6000));
    const blocks = connection.collection('click_blocks');
    const left = (await storedClickStore(connection, link))?.blocks.length;
    expect(await blocks.countDocuments({ link: new mongo.ObjectId(link) })).toBe(left);
    expect(await differences()).toBe(0);
  });

  it('leaves an empty store, from which no repair brings a click back', async () => {
    await store.record(aBatch(1, clicksAt([1000, 5000], true)));
    const before = await storedLink(connection, link);
    await deleteClicks();
    await expectClicks(0, null);
    expect(await differences()).toBe(0);
    const { total_clicks, open_clicks, last_click } = before;
    const totals = { total_clicks, open_clicks, last_click };
    await links.raiseTotals([{ _id: before._id, ...totals, clicks_deleted_at: null }]);
    await expectClicks(0, null);
    await store.record(aBatch(2, clicksAt([5001])));
    await expectClicks(1, new Date(5001));
  });

  it('is complete even if the store is changed long after the link', async () => {
    await store.record(aBatch(1, clicksAt([1000])));
    await links.dropClicks(OWNER.toHexString(), [link], at);
    await store.record(aBatch(2, clicksAt([4000, 7000])));
    expect(await storedLink(connection, link)).toMatchObject({ total_clicks: 0 });
    expect(await differences()).toBe(0);
    await dropped.drop([link], at);
    await links.raiseTotals(await stores.findTotals([link]));
    await expectClicks(1, new Date(7000));
  });

  it('is not undone by a batch that is recorded or repeated afterwards', async () => {
    const early = aBatch(1, clicksAt([1000, 6000]));
    await store.record(early);
    await deleteClicks();
    await store.record(early);
    await expectClicks(1, new Date(6000));
    const late = store.record(aBatch(2, clicksAt([4000, 8000])));
    const since = new Map([[link, 5000]]);
    await expect(late).rejects.toEqual(expect.objectContaining({ since }));
    await expect(late).rejects.toThrow(ClicksDeletedError);
    await store.record(aBatch(2, clicksAt([8000])));
    await store.record(aBatch(2, clicksAt([8000])));
    await expectClicks(2, new Date(8000));
  });

  it('of a link without clicks drops clicks that are still in the journal', async () => {
    await deleteClicks();
    await expect(store.record(aBatch(1, clicksAt([5000])))).rejects.toThrow(ClicksDeletedError);
    await store.record(aBatch(1, clicksAt([5001])));
    await expectClicks(1, new Date(5001));
  });

  it('loses no later click and keeps no earlier one while batches are recorded', async () => {
    const times = Array.from({ length: 40 }, (_, i) => 4000 + i * 50);
    const recording = (async () => {
      for (const [i, time] of times.entries()) {
        const clicks = clicksAt([time, time + 1]);
        for (let kept = clicks; kept.length > 0;) {
          try {
            await store.record(aBatch(i + 1, kept));
            break;
          } catch (error) {
            if (!(error instanceof ClicksDeletedError)) throw error;
            kept = kept.filter((click) => click.at > (error.since.get(link) ?? 0));
          }
        }
      }
    })();
    for (const time of [4200, 4600, 5000]) await deleteClicks(new Date(time));
    await recording;
    await expectClicks(times.filter((time) => time > 5000).length * 2 + 1, new Date(5951));
    expect(await differences()).toBe(0);
  });

  it('of clicks in ClickHouse counts later ones there, unless the store changes meanwhile', async () => {
    await store.record(aBatch(1, clicksAt([4000, 6000]), tallyEntry));
    await deleteClicks();
    expect(await storedClickStore(connection, link)).toMatchObject({ total: 0, recount: true });
    const later = { n: 1, open: 1, from: 6000, to: 6000 };
    const isCounted = await dropped.recount([link], async (_, since, applied) => {
      expect([since, applied]).toEqual([at, { [NODE]: 1 }]);
      await store.record(aBatch(2, clicksAt([7000]), tallyEntry));
      return later;
    });
    expect(isCounted).toBe(false);
    const both = { n: 2, open: 2, from: 6000, to: 7000 };
    expect(await dropped.recount([link], () => Promise.resolve(both))).toBe(true);
    const counted = await storedClickStore(connection, link);
    expect(counted).toMatchObject({ total: 2, open: 2, last: new Date(7000) });
    expect(counted).not.toHaveProperty('recount');
  });
});

describe('The deletion of clicks in a link', () => {
  const drop = (time = at) => links.dropClicks(OWNER.toHexString(), [link], time);
  const change = (values: object) =>
    connection.collection('links').updateOne({ _id: new mongo.ObjectId(link) }, { $set: values });

  it('opens a link that its limit has closed, and no other', async () => {
    await change({ status: 'INACTIVE', closed_by_limit: true, slots_taken: 7, max_clicks: 7 });
    await drop();
    const open = { status: 'ACTIVE', closed_by_limit: false, slots_taken: 0 };
    expect(await storedLink(connection, link)).toMatchObject(open);
    await change({ status: 'INACTIVE' });
    await drop();
    expect(await storedLink(connection, link)).toMatchObject({ status: 'INACTIVE' });
  });

  it('skips links that are blocked or belong to another account', async () => {
    await links.dropClicks(new mongo.ObjectId().toHexString(), [link], at);
    await change({ blocked: { reason: 'x', by: 'admin', at } });
    await drop();
    expect(await storedLink(connection, link)).not.toHaveProperty('clicks_deleted_at');
  });

  it('keeps the latest time, and is found until its clicks are removed', async () => {
    await drop(new Date(9000));
    await drop();
    const { alias } = await storedLink(connection, link);
    const clearing = { id: link, alias, ownerId: OWNER.toHexString(), at: new Date(9000) };
    expect(await links.clearing(100)).toContainEqual(clearing);
    await links.endClearing([{ id: link, at }]);
    expect(await links.clearing(100)).toContainEqual(clearing);
    await links.endClearing([clearing]);
    expect((await links.clearing(100)).map(({ id }) => id)).not.toContain(link);
  });
});

import fc from 'fast-check';
import { type Connection, mongo } from 'mongoose';
import { CompactionRepository } from '../../../src/clicks/compaction/compaction.repository';
import { CompactionService } from '../../../src/clicks/compaction/compaction.service';
import type { Click } from '../../../src/engines/click-engine/chunk/click';
import { clickBatchEntry } from '../../../src/clicks/store/click-batch';
import { ClickStore } from '../../../src/clicks/store/click-store';
import { ClickStoreRepository } from '../../../src/clicks/store/click-store.repository';
import { StoredClicksRepository } from '../../../src/clicks/store/stored-clicks.repository';
import { LINK_MODEL, LinkSchema } from '../../../src/stores/links/link.schema';
import { AccountLinkReads } from '../../../src/stores/links/account-link-reads.repository';
import { LinkReads } from '../../../src/stores/links/link-reads.repository';
import { LinksRepository } from '../../../src/stores/links/links.repository';
import { RemovedLinksRepository } from '../../../src/stores/links/removed-links.repository';
import { aClick } from '../../support/shared/click.factory';
import { aQuery, rows } from '../../support/shared/counted';
import { aLocalEngine } from '../../support/shared/local-engine';
import { naiveBreakdown, type NaiveClick } from '../../support/shared/naive-count';
import { aStoredLink } from '../../support/shared/stored-link';
import { dropTestDatabase, openTestDatabase, testDatabaseUri } from '../../support/test-database';

const BY_LINK_AND_TAG = aQuery({ dimensions: ['short_code', 'tag'] });
const VISITORS = ['a', 'b', 'c'].map((digit) => digit.repeat(24));

let connection: Connection;
let links: LinksRepository;
let removed: RemovedLinksRepository;
let stores: ClickStoreRepository;
let batches = 0;

beforeAll(async () => {
  connection = await openTestDatabase(testDatabaseUri());
  await connection.model(LINK_MODEL, LinkSchema).createIndexes();
  links = new LinksRepository(connection);
  removed = new RemovedLinksRepository(connection);
  stores = new ClickStoreRepository(connection);
});
afterAll(() => dropTestDatabase(connection));

function aMachine() {
  const source = new StoredClicksRepository(connection.db!);
  return { source, readsAll: jest.spyOn(source, 'readLinks'), ...aLocalEngine({ source }) };
}

async function record(node: string, clicks: Record<string, readonly Click[]>): Promise<void> {
  batches += 1;
  const entries = Object.entries(clicks).map(([id, own]) => clickBatchEntry(id, own));
  await new ClickStore(stores, links).record({ node, number: batches, entries });
}

async function aTag(owner: mongo.ObjectId, name: string): Promise<string> {
  const tag = { owner, name, key: name, color: 'grey', created_at: new Date() };
  return (await connection.collection('tags').insertOne(tag)).insertedId.toHexString();
}

async function remove(id: string, owner: mongo.ObjectId): Promise<void> {
  await removed.note([id], owner.toHexString());
  await links.remove(id, false);
  await stores.remove([id]);
}

class Model {
  readonly links = new Map<string, { alias: string; tags: Set<string>; clicks: Click[] }>();
  readonly tags = new Map<string, string>();

  get clicks(): NaiveClick[] {
    return [...this.links.values()].flatMap(({ alias, tags, clicks }) =>
      clicks.map((click) => ({ ...click, alias, marks: [...tags] })),
    );
  }

  idAt(place: number): string {
    return [...this.links.keys()][place % this.links.size] ?? '';
  }

  tagAt(place: number): string {
    return [...this.tags.keys()][place % this.tags.size] ?? '';
  }
}

type Step = (model: Model, place: number, owner: mongo.ObjectId) => Promise<void>;

const STEPS: Record<string, Step> = {
  record: async (model, place) => {
    const id = model.idAt(place);
    const clicks = [aClick({ at: place, visitor: VISITORS[place % 3] })];
    await record(place % 2 === 0 ? 'aaaa0001' : 'bbbb0001', { [id]: clicks });
    model.links.get(id)!.clicks.push(...clicks);
  },
  compact: async (model, place) => {
    const compaction = new CompactionService(new CompactionRepository(connection), undefined, 0);
    await compaction.compact(model.idAt(place));
  },
  tag: async (model, place, owner) => {
    const [id, name] = [model.idAt(place), model.tagAt(place)];
    const tags = model.links.get(id)?.tags ?? new Set();
    const moves = tags.has(name)
      ? { add: [], remove: [model.tags.get(name)!] }
      : { add: [model.tags.get(name)!], remove: [] };
    const change = { change: {}, moves, touch: false, now: new Date() };
    await links.changeMany(owner.toHexString(), [id], change, 20);
    if (!tags.delete(name)) tags.add(name);
  },
  'rename a tag': async (model, place) => {
    const [name, next] = [model.tagAt(place), `renamed ${(batches += 1)}`];
    const id = model.tags.get(name)!;
    await connection
      .collection('tags')
      .updateOne({ _id: new mongo.ObjectId(id) }, { $set: { name: next, key: next } });
    model.tags.delete(name);
    model.tags.set(next, id);
    for (const { tags } of model.links.values()) if (tags.delete(name)) tags.add(next);
  },
  'delete a tag': async (model, place, owner) => {
    if (model.tags.size === 1) return;
    const name = model.tagAt(place);
    const id = model.tags.get(name)!;
    await connection.collection('tags').deleteOne({ _id: new mongo.ObjectId(id) });
    await links.untag(owner.toHexString(), id);
    model.tags.delete(name);
    for (const { tags } of model.links.values()) tags.delete(name);
  },
  'change an alias': async (model, place) => {
    const id = model.idAt(place);
    const link = await new LinkReads(connection).findById(id);
    const alias = `renamed${(batches += 1)}`;
    await links.change(link!, { alias }, new Date(), false);
    model.links.get(id)!.alias = alias;
  },
  'remove a link': async (model, place, owner) => {
    if (model.links.size === 1) return;
    const id = model.idAt(place);
    await remove(id, owner);
    model.links.delete(id);
  },
  'claim a link with clicks': async (model, place, owner) => {
    const alias = `claimed${(batches += 1)}`;
    const claim = `token ${alias}`;
    const id = await aStoredLink(connection, { alias, claim });
    const clicks = [aClick({ at: place, visitor: VISITORS[place % 3] })];
    await record('aaaa0001', { [id]: clicks });
    await links.claim(id, claim, owner.toHexString());
    model.links.set(id, { alias, tags: new Set(), clicks });
  },
};

describe('Statistics of an account in memory', () => {
  it('are exact after any write, on all machines, without reading all links again', async () => {
    const step = fc.tuple(fc.constantFrom(...Object.keys(STEPS)), fc.nat(1000));
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 4, maxLength: 12 }), async (steps) => {
        const owner = new mongo.ObjectId();
        const model = new Model();
        for (const name of ['spring', 'mail']) {
          const tag = `${name} ${owner.toHexString()}`;
          model.tags.set(tag, await aTag(owner, tag));
        }
        for (const place of [1, 2, 3]) {
          const alias = `${place}${owner.toHexString()}`;
          const id = await aStoredLink(connection, { owner, alias });
          model.links.set(id, { alias, tags: new Set(), clicks: [] });
        }
        const machines = [aMachine(), aMachine()];
        for (const [name, place] of [['record', 0] as const, ['record', 1] as const, ...steps]) {
          await STEPS[name]!(model, place, owner);
          for (const { runner } of machines) {
            const filter = [model.tagAt(place), '(none)'].slice(place % 2);
            for (const query of [
              BY_LINK_AND_TAG,
              { ...BY_LINK_AND_TAG, filters: { tag: filter } },
            ]) {
              const result = await runner.run({ ownerId: owner.toHexString() }, query);
              for (const dimension of BY_LINK_AND_TAG.dimensions) {
                const counted = rows(result, dimension).filter(({ clicks }) => clicks > 0);
                expect(counted).toEqual(naiveBreakdown(model.clicks, query, dimension));
              }
            }
          }
        }
        for (const { readsAll } of machines) expect(readsAll).toHaveBeenCalledTimes(1);
      }),
      { numRuns: 10 },
    );
  });

  it('include each click recorded before the query, while two nodes record', async () => {
    const owner = new mongo.ObjectId();
    const ids = await Promise.all([1, 2, 3, 4].map(() => aStoredLink(connection, { owner })));
    const { runner, readsAll } = aMachine();
    let [begun, acknowledged, running] = [0, 0, 2];
    const recording = async (node: string): Promise<void> => {
      for (let i = 0; i < 40; i += 1) {
        const some = ids.filter((_, place) => (i + place) % 3 !== 0);
        begun += some.length;
        await record(node, Object.fromEntries(some.map((id) => [id, [aClick({ at: i })]])));
        acknowledged += some.length;
      }
      running -= 1;
    };
    const recorded = Promise.all([recording('cccc0001'), recording('dddd0001')]);
    for (let last = false; !last;) {
      last = running === 0;
      const before = acknowledged;
      const { summary } = await runner.run({ ownerId: owner.toHexString() }, aQuery());
      expect(summary.clicks).toBeGreaterThanOrEqual(before);
      expect(summary.clicks).toBeLessThanOrEqual(begun);
    }
    await recorded;
    const { summary } = await runner.run({ ownerId: owner.toHexString() }, aQuery());
    expect([summary.clicks, readsAll.mock.calls.length]).toEqual([acknowledged, 1]);
  });

  it('read a changed link once, even if its write appears long after its time stamp', async () => {
    const owner = new mongo.ObjectId();
    const id = await aStoredLink(connection, { owner });
    const { runner } = aMachine();
    const reads = jest.spyOn(AccountLinkReads.prototype, 'taggedOf');
    const ask = async () => {
      const { summary } = await runner.run({ ownerId: owner.toHexString() }, aQuery());
      return [summary.clicks, reads.mock.lastCall?.[0]];
    };
    expect(await ask()).toEqual([0, { ownerId: owner.toHexString() }]);
    await record('aaaa0001', { [id]: [aClick()] });
    expect(await ask()).toEqual([1, { ids: [id] }]);
    expect(await ask()).toEqual([1, { ids: [] }]);
    await record('aaaa0001', { [id]: [aClick()] });
    const touched_at = new Date(
      (await new AccountLinkReads(connection).time()).now.getTime() - 60_000,
    );
    await connection
      .collection('links')
      .updateOne({ _id: new mongo.ObjectId(id) }, { $set: { touched_at } });
    expect(await ask()).toEqual([2, { ids: [id] }]);
    reads.mockRestore();
  });

  it('are loaded again if deletions since the last query are no longer stored', async () => {
    const owner = new mongo.ObjectId();
    const [kept, gone] = [
      await aStoredLink(connection, { owner }),
      await aStoredLink(connection, { owner }),
    ];
    await record('aaaa0001', { [kept]: [aClick()], [gone]: [aClick()] });
    const { runner, readsAll } = aMachine();
    const ask = async () =>
      (await runner.run({ ownerId: owner.toHexString() }, aQuery())).summary.clicks;
    expect(await ask()).toBe(2);
    await links.remove(gone, false);
    await stores.remove([gone]);
    // Without a change note, the engine does not notice the deletion.
    expect([await ask(), readsAll.mock.calls.length]).toEqual([2, 1]);
    const { now, falls } = await new AccountLinkReads(connection).time();
    const later = { now: new Date(now.getTime() + 40 * 60_000), falls };
    const time = jest.spyOn(AccountLinkReads.prototype, 'time').mockResolvedValue(later);
    expect([await ask(), readsAll.mock.calls.length]).toEqual([1, 2]);
    time.mockRestore();
  });
});

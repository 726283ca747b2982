import {
  CompactionService,
  OrphanedBlocks,
} from '../../../src/clicks/compaction/compaction.service';
import { CompactionRepository } from '../../../src/clicks/compaction/compaction.repository';
import { clicksInChunks, storedClickStore } from '../../support/click-store-reading';
import { RecordingLogger } from '../../support/shared/recording-logger';
import { aClick } from '../../support/shared/click.factory';
import { type Answer, NOON, RANGE, clicks } from '../../support/statistics/hand-counted';
import { aSession, type Session, StatisticsWorld } from '../../support/statistics/statistics-world';

let world: StatisticsWorld;
let user: Session;
beforeAll(async () => {
  world = await StatisticsWorld.open();
});
afterAll(() => world.close());
beforeEach(() => {
  user = aSession();
});

async function ofLink(id: string, query: object): Promise<Answer> {
  const answer = await world.get(`/api/v1/stats/links/${id}`, { ...RANGE, ...query }, user);
  expect(answer.status).toBe(200);
  return answer.body as Answer;
}

describe('Statistics while clicks are recorded and compacted', () => {
  it('include each batch and are the same after compaction', async () => {
    const id = await world.link({ owner: user.id });
    const repository = new CompactionRepository(world.connection);
    const log = new RecordingLogger();
    const compactor = new CompactionService(repository, log as never, 0);
    let total = 0;
    for (let batch = 0; batch < 70; batch += 1) {
      const size = batch % 10 === 0 ? 400 : 3;
      await world.record(
        id,
        Array.from({ length: size }, (_, i) =>
          aClick({ at: NOON + total + i, visitor: String(1 + total + i).padStart(24, '0') }),
        ),
      );
      total += size;
      if (batch % 9 === 0) await compactor.compact(id);
      else await compactor.afterBatch([id]);
      if (batch % 5 === 0) {
        const { summary } = await ofLink(id, {});
        expect(summary).toMatchObject({ total_clicks: total, unique_clicks: total });
      }
    }
    const stored = await storedClickStore(world.connection, id);
    expect(stored).toMatchObject({ total, marks: { feed0001: expect.any(Number) as number } });
    expect(stored!.blocks.length).toBeLessThan(16);
    expect(await clicksInChunks(world.connection, id)).toBe(total);
  });

  it('stay the same if a compaction fails because of another writer', async () => {
    const id = await world.link({ owner: user.id });
    await world.record(id, clicks);
    const repository = new CompactionRepository(world.connection);
    const swap = repository.swap.bind(repository);
    let lost = 0;
    repository.swap = async (store, blocks) => {
      if (lost < 2) {
        lost += 1;
        await world.record(id, clicks.slice(0, 1));
      }
      return swap(store, blocks);
    };
    expect(await new CompactionService(repository).compact(id)).toBe(true);
    expect(lost).toBe(2);
    expect(await clicksInChunks(world.connection, id)).toBe(6);
    const left = await world.connection
      .collection('click_blocks')
      .countDocuments({ n: { $in: [4, 5] } });
    expect(left).toBe(0);
    expect((await ofLink(id, {})).summary.total_clicks).toBe(6);
  });

  it('are correct after blocks without a reference are deleted', async () => {
    const id = await world.link({ owner: user.id });
    await world.record(id, clicks);
    const repository = new CompactionRepository(world.connection);
    await repository.add({ linkId: id, n: 1, from: 1, to: 1, data: new Uint8Array(8) });
    const leftovers = new OrphanedBlocks(repository, new RecordingLogger() as never);
    const later = Date.now() + 2 * 3_600_000;
    expect(await leftovers.sweep(Date.now())).toBe(0);
    expect(await leftovers.sweep(later)).toBe(0);
    expect(await leftovers.sweep(later)).toBeGreaterThan(0);
    expect(await clicksInChunks(world.connection, id)).toBe(4);
  });

  it('return an error if the store and its chunks disagree', async () => {
    const id = await world.link({ owner: user.id });
    await world.record(id, clicks);
    const store = (await storedClickStore(world.connection, id))!;
    const stores = world.connection.collection('ledgers');
    await stores.updateOne({ _id: store._id }, { $set: { total: 5 } });
    const answer = await world.get(`/api/v1/stats/links/${id}`, RANGE, user);
    expect(answer).toMatchObject({ status: 500, body: { code: 'internal_error' } });
    await stores.updateOne({ _id: store._id }, { $set: { total: 4 } });
    expect((await ofLink(id, {})).summary.total_clicks).toBe(4);
  });
});

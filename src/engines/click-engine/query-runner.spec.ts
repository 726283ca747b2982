import fc from 'fast-check';
import { aClick, clickArbitrary } from '../../../test/support/shared/click.factory';
import { aQuery, rows } from '../../../test/support/shared/counted';
import { aLocalEngine, StoredClicksInMemory } from '../../../test/support/shared/local-engine';
import {
  naiveBreakdown,
  type NaiveClick,
  naiveSummary,
} from '../../../test/support/shared/naive-count';
import type { Click } from './chunk/click';
import { CancelledError, MemoryNeededError } from './chunk/engine.errors';
import {
  Cancellation,
  type Dimension,
  type StatisticsQuery,
  STORED_DIMENSIONS,
} from './query/statistics-query';

const OF_LINK = { links: [{ id: 'x', alias: 'x' }] };
const OF_ACCOUNT = { ownerId: 'ann' };
const ALL: Dimension[] = [...STORED_DIMENSIONS, 'time', 'short_code', 'tag'];
const everything = aQuery({
  dimensions: ALL,
  buckets: { strategy: 'monthly', timezone: 'UTC' },
});

/** Creates clicks from many visitors, some of whom return. */
function manyClicks(count: number, visitors: number, from = 0): Click[] {
  return Array.from({ length: count }, (_, i) =>
    aClick({
      at: from + i * 1000,
      visitor: ((i * 7919) % visitors).toString(16).padStart(8, '0').padEnd(24, '5'),
      city: `City ${i % 97}`,
      referrer: `https://${i % 61}.example`,
    }),
  );
}

/** Returns the error from a query whose clicks exceed the memory limit. */
async function refusal(asked: Promise<unknown>): Promise<MemoryNeededError> {
  const error: unknown = await asked.catch((thrown: unknown) => thrown);
  expect(error).toBeInstanceOf(MemoryNeededError);
  return error as MemoryNeededError;
}

const readings = (shards: { called: readonly string[] }) =>
  shards.called.filter((topic) => topic === 'read').length;

describe('Queries for clicks in memory', () => {
  it('read each block once, and afterwards only newly recorded clicks', async () => {
    const stored = new StoredClicksInMemory();
    stored.addBlock('x', manyClicks(500, 40));
    stored.addBlock('x', manyClicks(500, 60));
    const { runner, shards } = aLocalEngine(stored);
    const ask = async () => (await runner.run(OF_LINK, everything)).summary;
    expect(await ask()).toMatchObject({ clicks: 1000, visitors: 60 });
    const first = readings(shards);
    expect(await ask()).toMatchObject({ clicks: 1000 });
    expect(readings(shards)).toBe(first);
    stored.addInline('x', manyClicks(10, 60));
    expect(await ask()).toMatchObject({ clicks: 1010, visitors: 60 });
    expect(readings(shards)).toBe(first + 1);
  });

  it('continue reading where a cancelled query stopped', async () => {
    const stored = new StoredClicksInMemory();
    for (let i = 0; i < 1000; i += 1) stored.addInline(`link ${i}`, manyClicks(2, 2));
    const { runner, shards } = aLocalEngine(stored);
    const cancellation = new Cancellation();
    shards.onCall = () => {
      if (shards.chunksRead < 500) return;
      expect(runner.loading?.remainingMs).toEqual(expect.any(Number));
      cancellation.cancel();
    };
    const cancelled = runner.run(OF_ACCOUNT, everything, Infinity, cancellation);
    await expect(cancelled).rejects.toThrow(CancelledError);
    const before = shards.chunksRead;
    expect(before).toBeLessThan(1000);
    shards.onCall = () => undefined;
    const { summary } = await runner.run(OF_ACCOUNT, everything);
    expect(summary).toMatchObject({ clicks: 2000 });
    expect([shards.chunksRead, runner.loading]).toEqual([1000, null]);
  });

  it('merge later clicks after a number of queries', async () => {
    const stored = new StoredClicksInMemory();
    stored.addBlock('x', manyClicks(2000, 100));
    const { runner, cache } = aLocalEngine(stored);
    const ask = async () => (await runner.run(OF_LINK, everything)).summary;
    await ask();
    stored.addInline('x', manyClicks(40, 40, 10_000_000));
    const summary = await ask();
    const before = cache.bytes;
    expect([await ask(), cache.bytes]).toEqual([summary, before]);
    for (let i = 0; i < 8; i += 1) expect(await ask()).toEqual(summary);
    // A returning visitor is stored only once.
    expect(cache.bytes).toBeLessThan(before);
  });

  it('are correct during recording and compaction', async () => {
    const chunk = fc.array(clickArbitrary, { minLength: 1, maxLength: 12 });
    const what = fc.constantFrom('inline', 'inline', 'block', 'compact', 'compact inline');
    const marks = fc.subarray(['spring', 'mail']);
    const only = fc.subarray(['spring', 'mail', '(none)']);
    const change = fc.tuple(what, fc.boolean(), chunk, marks, only);
    await fc.assert(
      fc.asyncProperty(fc.array(change, { minLength: 1, maxLength: 8 }), async (changes) => {
        const stored = new StoredClicksInMemory();
        const blocks = new Map<string, { id: string; clicks: Click[] }[]>();
        const inline = new Map<string, Click[]>();
        const clicks: NaiveClick[] = [];
        const ask = async (query: StatisticsQuery): Promise<void> => {
          const result = await engine.runner.run(OF_ACCOUNT, query);
          const marked = clicks.map((click) => ({ ...click, marks: stored.marks[click.alias] }));
          const { last, ...summary } = result.summary;
          expect({ ...summary, lastAt: last?.at ?? null }).toEqual(naiveSummary(marked, query));
          for (const dimension of ALL) {
            const met = rows(result, dimension).filter((row) => row.clicks > 0);
            expect(met).toEqual(naiveBreakdown(marked, query, dimension));
          }
        };
        const engine = aLocalEngine(stored);
        for (const [what, isFirst, added, marks, only] of changes) {
          const link = isFirst ? 'one' : 'two';
          stored.marks[link] = marks;
          const own = blocks.get(link) ?? [];
          if (what === 'compact' && own.length > 0) {
            const merged = own.flatMap((block) => block.clicks);
            const ids = own.map(({ id }) => id);
            blocks.set(link, [{ id: stored.compact(link, ids, merged), clicks: merged }]);
          } else if (what === 'compact inline') {
            const merged = inline.get(link) ?? [];
            if (merged.length === 0) continue;
            blocks.set(link, [...own, { id: stored.compactInline(link, merged), clicks: merged }]);
            inline.set(link, []);
          } else {
            if (what === 'inline') {
              stored.addInline(link, added);
              inline.set(link, [...(inline.get(link) ?? []), ...added]);
            } else blocks.set(link, [...own, { id: stored.addBlock(link, added), clicks: added }]);
            clicks.push(...added.map((click) => ({ ...click, alias: link })));
          }
          // Queries some links first, so that some clicks are in memory when all are queried.
          if (only.length > 0) await ask({ ...everything, filters: { tag: only } });
          if (only.length !== 1) await ask(everything);
        }
      }),
      { numRuns: 10 },
    );
  });

  it('read only the added inline chunks', async () => {
    const stored = new StoredClicksInMemory();
    const { runner, shards } = aLocalEngine(stored);
    const ask = async () => (await runner.run(OF_LINK, everything)).summary.clicks;
    for (let i = 0; i < 5; i += 1) stored.addInline('x', manyClicks(2, 2, i * 10_000));
    expect([await ask(), shards.chunksRead]).toEqual([10, 5]);
    stored.addInline('x', manyClicks(2, 2, 60_000));
    expect([await ask(), shards.chunksRead]).toEqual([12, 6]);
    stored.compactInline('x', manyClicks(12, 2));
    expect([await ask(), shards.chunksRead]).toEqual([12, 7]);
    stored.addInline('x', manyClicks(1, 1, 70_000));
    expect([await ask(), shards.chunksRead]).toEqual([13, 8]);
  });

  it('read everything again after a store is repaired', async () => {
    const stored = new StoredClicksInMemory();
    const { runner, shards } = aLocalEngine(stored);
    const ask = async () => (await runner.run(OF_LINK, everything)).summary;
    for (const at of [1, 2, 3]) stored.addInline('x', [aClick({ at })]);
    expect(await ask()).toMatchObject({ clicks: 3, first: 1, last: { at: 3 } });
    stored.dropInline('x', 1);
    stored.addInline('x', [aClick({ at: 9 })]);
    expect(await ask()).toMatchObject({ clicks: 3, first: 1, last: { at: 9 } });
    expect(shards.chunksRead).toBe(6);
    stored.dropInline('x', 0);
    expect(await ask()).toMatchObject({ clicks: 2, first: 3, last: { at: 9 } });
  });

  it('are repeated if compaction replaces blocks during reading', async () => {
    const stored = new StoredClicksInMemory();
    const clicks = manyClicks(50, 9);
    const ids = [stored.addBlock('x', clicks), stored.addBlock('x', clicks)];
    stored.beforeBlocks = () => {
      stored.beforeBlocks = () => undefined;
      stored.compact('x', ids, [...clicks, ...clicks]);
    };
    const { summary } = await aLocalEngine(stored).runner.run(OF_LINK, everything);
    expect(summary).toMatchObject({ clicks: 100, visitors: 9 });
  });

  it('fail if the store and its chunks disagree', async () => {
    const stored = new StoredClicksInMemory();
    stored.addBlock('x', manyClicks(5, 2));
    stored.stores.get('x')!.total = 6;
    const { runner } = aLocalEngine(stored);
    await expect(runner.run(OF_LINK, everything)).rejects.toThrow('has 6 clicks, its chunks 5');
  });
});

describe('Queries for an account with many links', () => {
  const names = Array.from({ length: 30 }, (_, i) => `l${i}`);
  const accountOf = (clicks: number): StoredClicksInMemory => {
    const stored = new StoredClicksInMemory();
    for (const name of names) stored.addBlock(name, manyClicks(clicks, 7));
    return stored;
  };

  it('read the states of its links once, and afterwards only those of changed links', async () => {
    const stored = accountOf(10);
    const { runner } = aLocalEngine(stored);
    const ask = async () => (await runner.run(OF_ACCOUNT, everything)).summary;
    expect([await ask(), stored.statesRead]).toMatchObject([{ clicks: 300 }, 30]);
    expect([await ask(), stored.statesRead]).toMatchObject([{ clicks: 300 }, 30]);
    stored.addInline('l3', manyClicks(5, 2));
    stored.addBlock('l4', manyClicks(4, 2));
    stored.addBlock('new', manyClicks(2, 2));
    stored.stores.delete('l9');
    expect([await ask(), stored.statesRead]).toMatchObject([{ clicks: 301 }, 33]);
  });

  it('read only the bytes of changed links', async () => {
    const stored = new StoredClicksInMemory();
    const many = Array.from({ length: 600 }, (_, i) => `m${i}`);
    for (const name of many) stored.addInline(name, manyClicks(2, 2));
    const { runner } = aLocalEngine(stored);
    const ask = async () => (await runner.run(OF_ACCOUNT, everything)).summary;
    // Store states are read in groups of 250 and determine which stores to read.
    expect([await ask(), stored.statesRead]).toMatchObject([{ clicks: 1200 }, 1200]);
    for (const name of many.slice(0, 510)) stored.addInline(name, manyClicks(1, 1));
    expect([await ask(), stored.statesRead]).toMatchObject([{ clicks: 1710 }, 2220]);
    for (const name of many.slice(0, 500)) stored.addInline(name, manyClicks(1, 1));
    expect([await ask(), stored.statesRead]).toMatchObject([{ clicks: 2210 }, 2720]);
  });

  it('read only links with new clicks once the other clicks are in memory', async () => {
    const stored = accountOf(10);
    const { runner } = aLocalEngine(stored);
    const ask = async (query: Partial<StatisticsQuery> = {}) => {
      const { summary } = await runner.run(OF_ACCOUNT, { ...everything, ...query });
      return [summary.clicks, stored.linksRead, stored.statesRead];
    };
    expect(await ask()).toEqual([300, 30, 30]);
    expect(await ask({ filters: { tag: ['spring'] } })).toEqual([0, 30, 30]);
    stored.addInline('l3', manyClicks(5, 2));
    stored.addBlock('new', manyClicks(2, 2));
    stored.marks.l4 = ['spring'];
    stored.stores.delete('l9');
    expect(await ask({ filters: { tag: ['spring'] } })).toEqual([10, 33, 33]);
    expect(await ask()).toEqual([297, 33, 33]);
    expect(await ask({ start: 9000, end: 9000 })).toEqual([29, 33, 33]);
    stored.forgetsWrites = true;
    expect(await ask()).toEqual([297, 63, 35]);
  });

  it('read links again if a cancelled query had noticed their new clicks', async () => {
    const stored = accountOf(10);
    const { runner } = aLocalEngine(stored);
    const ask = async () => (await runner.run(OF_ACCOUNT, everything)).summary.clicks;
    expect(await ask()).toBe(300);
    stored.addBlock('l3', manyClicks(5, 2));
    stored.stores.delete('l9');
    stored.beforeBlocks = () => {
      stored.beforeBlocks = () => undefined;
      throw new Error('the database is down');
    };
    await expect(ask()).rejects.toThrow('down');
    expect([await ask(), stored.linksRead]).toEqual([295, 32]);
  });

  it('evict other clicks, or fail with the required amount of memory', async () => {
    const stored = accountOf(10);
    const heldBytes = 200_000;
    const { runner, cache } = aLocalEngine(stored, { heldBytes, shards: 1 });
    const ask = async (asked = runner) => (await asked.run(OF_ACCOUNT, everything)).summary.clicks;
    expect(await ask()).toBe(300);
    for (const name of names) stored.addBlock(`more ${name}`, manyClicks(1500, 300));
    const { bytes } = await refusal(ask());
    expect(bytes).toBeGreaterThan(heldBytes);
    expect(cache.bytes).toBeLessThanOrEqual(heldBytes);
    expect(await ask(aLocalEngine(stored, { heldBytes: bytes, shards: 1 }).runner)).toBe(45_300);
  });

  it("read a link's state again if it was repaired and then recorded again", async () => {
    const stored = accountOf(10);
    const { runner } = aLocalEngine(stored);
    const ask = async () => (await runner.run(OF_ACCOUNT, everything)).summary;
    await ask();
    const { revision } = stored.stores.get('l5')!;
    stored.stores.delete('l5');
    stored.addBlock('l5', manyClicks(3, 2));
    expect(stored.stores.get('l5')?.revision).toBe(revision);
    expect(await ask()).toMatchObject({ clicks: 293 });
    for (const at of [1, 2]) stored.addInline('l6', [aClick({ at })]);
    expect(await ask()).toMatchObject({ clicks: 295 });
    stored.dropInline('l6', 0);
    stored.addInline('l6', [aClick({ at: 3 })]);
    expect(await ask()).toMatchObject({ clicks: 295 });
  });

  it('are correct if a link changes between reading its version and its state', async () => {
    const stored = accountOf(10);
    const { runner } = aLocalEngine(stored);
    const ask = async () => (await runner.run(OF_ACCOUNT, everything)).summary;
    await ask();
    stored.addInline('l0', manyClicks(1, 1));
    stored.beforeStates = () => {
      stored.beforeStates = () => undefined;
      stored.addInline('l0', manyClicks(1, 1));
      stored.stores.delete('l1');
    };
    expect(await ask()).toMatchObject({ clicks: 302 });
    expect(await ask()).toMatchObject({ clicks: 292 });
  });

  it('remember only as many states as fit into memory', async () => {
    const stored = accountOf(10);
    const { runner, reader } = aLocalEngine(stored, { stateBytes: 4000 });
    for (let i = 0; i < 3; i += 1) {
      const { summary } = await runner.run(OF_ACCOUNT, everything);
      expect(summary).toMatchObject({ clicks: 300 });
      expect(reader.bytes).toBeLessThanOrEqual(4000);
      expect(reader.bytes).toBeGreaterThan(0);
    }
  });
});

describe('Queries for tagged links', () => {
  const clicks = manyClicks(300, 20);
  const marked = (): StoredClicksInMemory => {
    const stored = new StoredClicksInMemory();
    for (const [id, marks] of [
      ['a', ['spring', 'mail']],
      ['b', ['spring']],
      ['c', []],
    ] as const) {
      stored.addBlock(id, clicks);
      stored.marks[id] = marks;
    }
    return stored;
  };
  const byMark = aQuery({ dimensions: ['tag'] });

  it('count a click once for each tag of its link, and a visitor once for each tag', async () => {
    const result = await aLocalEngine(marked()).runner.run(OF_ACCOUNT, byMark);
    expect(rows(result, 'tag')).toEqual([
      { label: 'spring', clicks: 600, visitors: 20 },
      { label: '(none)', clicks: 300, visitors: 20 },
      { label: 'mail', clicks: 300, visitors: 20 },
    ]);
    // Percentages refer to all clicks, not to a sum that includes some clicks twice.
    expect(result.breakdowns.tag).toMatchObject({ clicksSum: 900, visitorsSum: 20, size: 3 });
    expect(result.summary).toMatchObject({ clicks: 900, visitors: 20 });
  });

  it('use the current tags of links, even for clicks already in memory', async () => {
    const stored = marked();
    const { runner, shards } = aLocalEngine(stored);
    await runner.run(OF_ACCOUNT, byMark);
    stored.marks.a = ['winter'];
    stored.marks.b = [];
    expect(rows(await runner.run(OF_ACCOUNT, byMark), 'tag')).toEqual([
      { label: '(none)', clicks: 600, visitors: 20 },
      { label: 'winter', clicks: 300, visitors: 20 },
    ]);
    expect(shards.chunksRead).toBe(3);
  });

  it('read the clicks of matching links, and keep them once for all queries', async () => {
    const stored = marked();
    const { runner, shards } = aLocalEngine(stored);
    const ask = async (only: string[]) => {
      const query = { ...everything, filters: { tag: only } };
      const { clicks, visitors } = (await runner.run(OF_ACCOUNT, query)).summary;
      return [clicks, visitors, shards.chunksRead];
    };
    expect(await ask(['mail'])).toEqual([300, 20, 1]);
    expect(await ask(['spring'])).toEqual([600, 20, 2]);
    expect(await ask(['mail', '(none)'])).toEqual([600, 20, 3]);
    expect(await ask(['unheard'])).toEqual([0, 0, 3]);
    const { summary } = await runner.run(OF_ACCOUNT, everything);
    expect([summary.clicks, shards.chunksRead]).toEqual([900, 3]);
  });

  it("keep other links' clicks when blocks are replaced, and later drop them", async () => {
    const stored = new StoredClicksInMemory();
    const ids = [stored.addBlock('a', clicks), stored.addBlock('a', clicks)];
    stored.addBlock('b', clicks);
    stored.marks.b = ['spring'];
    const { runner, cache } = aLocalEngine(stored);
    const total = async (filters = {}) =>
      (await runner.run(OF_ACCOUNT, { ...everything, filters })).summary.clicks;
    expect(await total()).toBe(900);
    stored.compact('a', ids, [...clicks, ...clicks]);
    expect(await total({ tag: ['spring'] })).toBe(300);
    expect(await total({ tag: ['(none)'] })).toBe(600);
    stored.stores.delete('a');
    const before = cache.bytes;
    expect(await total({ tag: ['spring'] })).toBe(300);
    expect([await total(), cache.bytes < before]).toEqual([300, true]);
  });

  it('accept an account if the columns that they need fit into memory', async () => {
    const stored = marked();
    stored.addBlock('d', manyClicks(30_000, 300));
    const { runner } = aLocalEngine(stored, { heldBytes: 200_000 });
    await runner.run(OF_ACCOUNT, { ...everything, filters: { tag: ['mail'] } });
    const ask = () => runner.run(OF_ACCOUNT, aQuery({ dimensions: ['os'] }));
    expect((await ask()).summary.clicks).toBe(30_900);
    expect((await ask()).summary.clicks).toBe(30_900);
  });
});

describe('The memory for clicks', () => {
  const day = 86_400_000;

  it('is limited, and the clicks that were queried least recently are evicted', async () => {
    const stored = new StoredClicksInMemory();
    const links = Array.from({ length: 12 }, (_, i) => ({ id: `l${i}`, alias: `l${i}` }));
    for (const { id } of links) stored.addBlock(id, manyClicks(4000, 900));
    const heldBytes = 400_000;
    const { runner, cache, shards } = aLocalEngine(stored, { heldBytes });
    for (const link of links) {
      const { summary } = await runner.run({ links: [link] }, everything);
      expect(summary).toMatchObject({ clicks: 4000, visitors: 900 });
      expect(cache.bytes).toBeLessThanOrEqual(heldBytes);
      expect(cache.bytes).toBeGreaterThan(0);
    }
    const before = readings(shards);
    await runner.run({ links: links.slice(-1) }, everything);
    expect(readings(shards)).toBe(before);
    await runner.run({ links: links.slice(0, 1) }, everything);
    expect(readings(shards)).toBe(before + 1);
  });

  it('contains only some columns of data that is too large with all of them', async () => {
    const stored = new StoredClicksInMemory();
    stored.addBlock('x', manyClicks(30_000, 300));
    const { runner, shards, cache } = aLocalEngine(stored, { heldBytes: 200_000 });
    const ask = (dimension: Dimension) => runner.run(OF_LINK, aQuery({ dimensions: [dimension] }));
    expect(rows(await ask('os'), 'os')).toEqual([
      { label: 'Windows', clicks: 30_000, visitors: 300 },
    ]);
    expect(cache.bytes).toBeLessThanOrEqual(200_000);
    const before = readings(shards);
    await ask('os');
    expect(readings(shards)).toBe(before);
    const { bytes } = await refusal(runner.run(OF_LINK, everything));
    const larger = aLocalEngine(stored, { heldBytes: bytes });
    expect((await larger.runner.run(OF_LINK, everything)).summary.clicks).toBe(30_000);
    // The result is already known, so nothing is read again.
    const known = readings(shards);
    expect((await refusal(runner.run(OF_LINK, everything))).bytes).toBeCloseTo(bytes, -4);
    expect(readings(shards)).toBe(known);
  });

  it('contains only the blocks in the requested range if the data is too large', async () => {
    const stored = new StoredClicksInMemory();
    for (let i = 0; i < 10; i += 1) stored.addBlock('x', manyClicks(3000, 50, i * day));
    const { runner, shards } = aLocalEngine(stored, { heldBytes: 250_000 });
    const query = { ...everything, start: 4 * day, end: 5 * day - 1 };
    const ask = async () => (await runner.run(OF_LINK, query)).summary.clicks;
    expect([await ask(), readings(shards)]).toEqual([3000, 1]);
    expect([await ask(), readings(shards)]).toEqual([3000, 1]);
  });
});

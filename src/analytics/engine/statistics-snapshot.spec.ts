import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { aClick } from '../../../test/support/statistics/click.factory';
import { aQuery } from '../../../test/support/statistics/counted';
import {
  aLocalEngine,
  snapshotOf,
  StoredClicksInMemory,
} from '../../../test/support/statistics/local-engine';
import type { Click } from '../../clicks/store/click';

const OF_LINK = { links: [{ id: 'x', alias: 'x' }] };
const OF_ACCOUNT = { ownerId: 'ann' };
const query = aQuery({ dimensions: ['city', 'os'] });

function clicksFrom(count: number, from: number): Click[] {
  return Array.from({ length: count }, (_, i) =>
    aClick({ at: from + i, visitor: (i % 40).toString(16).padStart(24, '0'), city: `\ud800 ${i}` }),
  );
}

describe('The snapshot of a statistics process', () => {
  let folder: string;
  let stored: StoredClicksInMemory;

  /** Asks about the link and the account, and leaves what is held by then. */
  async function saved(): Promise<unknown[]> {
    const engine = aLocalEngine(stored);
    const answers = [
      await engine.runner.run(OF_LINK, query),
      await engine.runner.run(OF_ACCOUNT, query),
    ];
    await snapshotOf(engine, folder).save();
    return answers;
  }

  async function restoredEngine(options: { shards?: number; memoryBytes?: number } = {}) {
    const { shards, memoryBytes } = options;
    const engine = aLocalEngine(stored, { shards });
    const warnings: unknown[] = [];
    await snapshotOf(engine, folder, { memoryBytes, warnings }).restore();
    return { engine, warnings };
  }

  beforeEach(() => {
    folder = join(mkdtempSync(join(tmpdir(), 'curtail-snapshot-')), 'statistics');
    stored = new StoredClicksInMemory();
    stored.addBlock('x', clicksFrom(300, 1000));
    stored.addBlock('y', clicksFrom(200, 1000));
    stored.addInline('x', clicksFrom(5, 5000));
  });

  afterEach(() => rmSync(join(folder, '..'), { recursive: true }));

  it('answers the next process’s first questions without the database', async () => {
    const before = await saved();
    const { engine, warnings } = await restoredEngine();
    expect(engine.cache.bytes).toBeGreaterThan(0);
    const { runner, shards } = engine;
    const after = [await runner.run(OF_LINK, query), await runner.run(OF_ACCOUNT, query)];
    expect(after).toEqual(before);
    expect(shards.called).not.toContain('read');
    expect(warnings).toEqual([]);
  });

  it('is followed by what was recorded, compacted and deleted meanwhile', async () => {
    await saved();
    stored.compactInline('x', clicksFrom(5, 5000));
    stored.addInline('x', clicksFrom(7, 9000));
    stored.stores.delete('y');
    const { engine } = await restoredEngine();
    const { summary } = await engine.runner.run(OF_ACCOUNT, query);
    expect(summary).toMatchObject({ clicks: 312, visitors: 40 });
    expect(engine.shards.chunksRead).toBe(2);
  });

  it('is used once, and readable by its owner alone', async () => {
    await saved();
    expect(statSync(folder).mode & 0o777).toBe(0o700);
    const files = readdirSync(folder);
    expect(files.sort()).toEqual(['index', 'shard-0', 'shard-1']);
    for (const file of files) expect(statSync(join(folder, file)).mode & 0o777).toBe(0o600);
    await restoredEngine();
    expect(() => readdirSync(folder)).toThrow('ENOENT');
    const { engine, warnings } = await restoredEngine();
    expect([engine.cache.entries(), warnings]).toEqual([[], []]);
  });

  it('replaces an older one, and is none where nothing is held', async () => {
    await saved();
    await saved();
    expect(readdirSync(folder)).toHaveLength(3);
    await snapshotOf(aLocalEngine(stored), folder).save();
    expect(() => readdirSync(folder)).toThrow('ENOENT');
  });

  const cut = (file: string) => writeFileSync(file, readFileSync(file).subarray(0, -1));
  const flipped = (file: string, place: number) => {
    const bytes = readFileSync(file);
    const at = place < 0 ? bytes.length + place : place;
    bytes[at] = (bytes[at] ?? 0) ^ 1;
    writeFileSync(file, bytes);
  };
  it.each<[string, (file: (name: string) => string) => void]>([
    ['a file of a shard was cut', (file) => cut(file('shard-1'))],
    ['a file of a shard goes on', (file) => writeFileSync(file('shard-0'), 'x', { flag: 'a' })],
    ['a file of a shard is missing', (file) => rmSync(file('shard-1'))],
    ['a file of a shard is empty', (file) => writeFileSync(file('shard-1'), '')],
    ['the length of a head is damaged', (file) => flipped(file('shard-0'), 3)],
    ['a head is damaged', (file) => flipped(file('shard-0'), 5)],
    ['a number is damaged', (file) => flipped(file('shard-1'), -20)],
    ['the index is damaged', (file) => flipped(file('index'), 200)],
    ['the index was cut', (file) => cut(file('index'))],
  ])('is of no use when %s: clicks are read again', async (_, damage) => {
    const before = await saved();
    damage((name) => join(folder, name));
    await expectNoUse(before);
  });

  it('is of no use when a file is of an older one', async () => {
    await saved();
    const older = readFileSync(join(folder, 'shard-1'));
    const before = await saved();
    writeFileSync(join(folder, 'shard-1'), older);
    await expectNoUse(before);
  });

  async function expectNoUse([ofLink]: unknown[]): Promise<void> {
    const { engine, warnings } = await restoredEngine();
    expect(warnings).toHaveLength(2);
    expect(engine.cache.entries()).toEqual([]);
    expect(await engine.runner.run(OF_LINK, query)).toEqual(ofLink);
    expect(engine.shards.called).toContain('read');
  }

  it('is of no use to a process with less memory or other threads', async () => {
    await saved();
    const small = await restoredEngine({ memoryBytes: 1000 });
    expect(small.engine.cache.entries()).toEqual([]);
    await saved();
    const other = await restoredEngine({ shards: 3 });
    expect(other.engine.cache.entries()).toEqual([]);
    expect([...small.warnings, ...other.warnings]).toEqual([]);
  });

  it('that cannot be written is told of, and nothing else', async () => {
    const engine = aLocalEngine(stored);
    await engine.runner.run(OF_LINK, query);
    writeFileSync(join(folder, '..', 'file'), '');
    const warnings: unknown[] = [];
    await snapshotOf(engine, join(folder, '..', 'file', 'statistics'), { warnings }).save();
    expect(warnings).toHaveLength(2);
  });
});

import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmdirSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { aClick } from '../../testing/click.factory';
import { aQuery } from '../../testing/counted';
import { aLocalEngine, snapshotOf, StoredClicksInMemory } from '../../testing/local-engine';
import type { Click } from '../click';
import { CancelledError } from '../engine.errors';
import { Cancellation } from '../cancellation';
import { readSegments, writeSegments } from './segment-file';
import { mergeSegments } from './segment-merge';
import type { StatisticsSnapshot } from './statistics-snapshot';

const OF_LINK = { links: [{ id: 'x', alias: 'x' }] };
const OF_ACCOUNT = { ownerId: 'ann' };
const query = aQuery({ dimensions: ['city', 'os'] });

function clicksFrom(count: number, from: number): Click[] {
  return Array.from({ length: count }, (_, i) =>
    aClick({ at: from + i, visitor: (i % 40).toString(16).padStart(24, '0'), city: `\ud800 ${i}` }),
  );
}

function bytesOf(words: Uint32Array = new Uint32Array()): Uint8Array {
  return new Uint8Array(words.buffer, words.byteOffset, words.byteLength);
}

/** Names and contents. */
function filesIn(folder: string): Record<string, string> {
  const names = readdirSync(folder).filter((name) => statSync(join(folder, name)).isFile());
  return Object.fromEntries(
    names.map((name) => [name, readFileSync(join(folder, name)).toString('base64')]),
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

  it('is written anew once clicks of a deleted link have left', async () => {
    await saved();
    const engine = aLocalEngine(stored);
    const snapshot = snapshotOf(engine, folder);
    await snapshot.restore();
    stored.stores.delete('y');
    await engine.runner.run(OF_ACCOUNT, query);
    await snapshot.save();
    const { engine: next } = await restoredEngine();
    const totals = next.cache.entries().map(([key, { total }]) => [key, total?.n]);
    expect(Object.fromEntries(totals)).toEqual({ x: 305, ann: 305 });
  });

  it('is readable by its owner alone', async () => {
    await saved();
    expect(statSync(folder).mode & 0o777).toBe(0o700);
    const files = readdirSync(folder);
    expect(files).toHaveLength(3);
    for (const file of files) expect(statSync(join(folder, file)).mode & 0o777).toBe(0o600);
  });

  it('is not met again by the process after one that died of it', async () => {
    await saved();
    const first = await restoredEngine();
    expect(first.engine.cache.entries()).toHaveLength(2);
    const second = await restoredEngine();
    expect([second.engine.cache.entries(), second.warnings]).toEqual([[], []]);
    expect(() => readdirSync(folder)).toThrow('ENOENT');
  });

  it.each<[string, (snapshot: StatisticsSnapshot) => Promise<void>]>([
    ['has lived for a while', (snapshot) => snapshot.keep()],
    ['has ended', (snapshot) => snapshot.save()],
  ])('is as it was for the process after one that %s with it', async (_, live) => {
    const before = await saved();
    const files = filesIn(folder);
    const engine = aLocalEngine(stored);
    const snapshot = snapshotOf(engine, folder);
    await snapshot.restore();
    await live(snapshot);
    expect(filesIn(folder)).toEqual(files);
    expect(engine.shards.called).not.toContain('save');
    const { engine: next } = await restoredEngine();
    expect(await next.runner.run(OF_LINK, query)).toEqual(before[0]);
    expect(next.shards.called).not.toContain('read');
  });

  it('replaces an older one, and is none where nothing is held', async () => {
    await saved();
    await saved();
    expect(readdirSync(folder)).toHaveLength(3);
    await snapshotOf(aLocalEngine(stored), folder).save();
    expect(() => readdirSync(folder)).toThrow('ENOENT');
  });

  /** The index, or the file of a shard. */
  const fileNamed = (name: string) =>
    readdirSync(folder).find((file) => file === name || file.endsWith(`-${name}`)) ?? '';
  const cut = (file: string) => writeFileSync(file, readFileSync(file).subarray(0, -1));
  const flipped = (file: string, place: number) => {
    const bytes = readFileSync(file);
    const at = place < 0 ? bytes.length + place : place;
    bytes[at] = (bytes[at] ?? 0) ^ 1;
    writeFileSync(file, bytes);
  };
  it.each<[string, (file: (name: string) => string) => void]>([
    ['a file of a shard was cut', (file) => cut(file('1'))],
    ['a file of a shard goes on', (file) => writeFileSync(file('0'), 'x', { flag: 'a' })],
    ['a file of a shard is missing', (file) => rmSync(file('1'))],
    ['a file of a shard is empty', (file) => writeFileSync(file('1'), '')],
    ['the length of a head is damaged', (file) => flipped(file('0'), 3)],
    ['a head is damaged', (file) => flipped(file('0'), 5)],
    ['a number is damaged', (file) => flipped(file('1'), -20)],
    ['the index is damaged', (file) => flipped(file('index'), 200)],
    ['the index was cut', (file) => cut(file('index'))],
  ])('is of no use when %s: clicks are read again', async (_, damage) => {
    const before = await saved();
    damage((name) => join(folder, fileNamed(name)));
    await expectNoUse(before);
  });

  it('is of no use when a file is of an older one', async () => {
    await saved();
    const older = readFileSync(join(folder, fileNamed('1')));
    const before = await saved();
    writeFileSync(join(folder, fileNamed('1')), older);
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

describe('The snapshot of a process that is killed', () => {
  let folder: string;
  let stored: StoredClicksInMemory;
  let engine: ReturnType<typeof aLocalEngine>;

  beforeEach(() => {
    folder = join(mkdtempSync(join(tmpdir(), 'curtail-snapshot-')), 'statistics');
    stored = new StoredClicksInMemory();
    stored.addBlock('x', clicksFrom(300, 1000));
    engine = aLocalEngine(stored);
  });
  afterEach(() => rmSync(join(folder, '..'), { recursive: true }));

  async function kept(snapshot: StatisticsSnapshot): Promise<void> {
    await snapshot.keep();
    await snapshot.written;
  }

  async function readByTheNext(): Promise<number> {
    const next = aLocalEngine(stored);
    await snapshotOf(next, folder).restore();
    await next.runner.run(OF_LINK, query);
    return next.shards.chunksRead;
  }

  it('was written while it lived', async () => {
    const snapshot = snapshotOf(engine, folder, { worthClicks: 300 });
    await engine.runner.run(OF_LINK, query);
    await kept(snapshot);
    expect(await readByTheNext()).toBe(0);
  });

  it('is worth it from a number of clicks on, and a quarter of those held', async () => {
    const snapshot = snapshotOf(engine, folder, { worthClicks: 300 });
    const saves = () => engine.shards.called.filter((topic) => topic === 'save').length;
    const askedAfter = async (clicks: number): Promise<number> => {
      stored.addBlock('x', clicksFrom(clicks, 9000));
      await engine.runner.run(OF_LINK, query);
      await kept(snapshot);
      return saves();
    };
    await kept(snapshot);
    expect(saves()).toBe(0);
    expect(await askedAfter(900)).toBe(2);
    expect(await askedAfter(299)).toBe(2);
    expect(await askedAfter(90)).toBe(2);
    expect(await askedAfter(20)).toBe(4);
    await kept(snapshot);
    expect(saves()).toBe(4);
  });

  it('holds what was held when it was begun, whatever is asked meanwhile', async () => {
    const snapshot = snapshotOf(engine, folder);
    const before = await engine.runner.run(OF_LINK, query);
    await snapshot.keep();
    stored.addBlock('x', clicksFrom(300, 5000));
    const after = await engine.runner.run(OF_LINK, query);
    await snapshot.written;
    expect(await readByTheNext()).toBe(1);
    expect([before.summary.clicks, after.summary.clicks]).toEqual([300, 600]);
  });

  it('gives way to the one at the end of the process', async () => {
    const snapshot = snapshotOf(engine, folder);
    await engine.runner.run(OF_LINK, query);
    await snapshot.keep();
    stored.addBlock('x', clicksFrom(300, 5000));
    await engine.runner.run(OF_LINK, query);
    await snapshot.save();
    expect(readdirSync(folder)).toHaveLength(3);
    expect(await readByTheNext()).toBe(0);
  });

  it('is written in pieces, until it is given up', async () => {
    const file = join(folder, '..', 'segments');
    const visitors = Uint32Array.from({ length: 3_000_000 }, (_, i) => i);
    const large = { ...mergeSegments([]), visitors };
    const background = new Cancellation();
    await writeSegments(file, 'one', [null, large], background);
    const [first, second] = readSegments(file, 'one');
    expect(first).toBeNull();
    expect(Buffer.compare(bytesOf(second?.visitors), bytesOf(visitors))).toBe(0);
    const cancelled = writeSegments(`${file}-2`, 'two', [large], background);
    background.cancel();
    await expect(cancelled).rejects.toThrow(CancelledError);
  });

  it('is the one before where it died while it wrote another', async () => {
    await engine.runner.run(OF_LINK, query);
    await kept(snapshotOf(engine, folder));
    writeFileSync(join(folder, 'half-0'), 'x');
    writeFileSync(join(folder, 'index.new'), 'x');
    expect(await readByTheNext()).toBe(0);
    expect(readdirSync(folder)).toHaveLength(3);
  });

  it('is the one before where another could not be written', async () => {
    const warnings: unknown[] = [];
    const snapshot = snapshotOf(engine, folder, { warnings });
    await engine.runner.run(OF_LINK, query);
    await kept(snapshot);
    const files = filesIn(folder);
    stored.addBlock('x', clicksFrom(300, 5000));
    await engine.runner.run(OF_LINK, query);
    mkdirSync(join(folder, 'index.new'));
    await kept(snapshot);
    await kept(snapshot);
    rmdirSync(join(folder, 'index.new'));
    expect(warnings).toHaveLength(2);
    expect(filesIn(folder)).toEqual(files);
    await snapshot.save();
    expect(await readByTheNext()).toBe(0);
  });

  it('was removed by the operator before it was proven, and is written anew', async () => {
    await engine.runner.run(OF_LINK, query);
    await kept(snapshotOf(engine, folder));
    const next = aLocalEngine(stored);
    const warnings: unknown[] = [];
    const snapshot = snapshotOf(next, folder, { warnings });
    await snapshot.restore();
    rmSync(folder, { recursive: true });
    await kept(snapshot);
    expect(warnings).toEqual([]);
    expect(await readByTheNext()).toBe(0);
  });

  it('was removed by the operator, and is written anew at the end', async () => {
    const snapshot = snapshotOf(engine, folder);
    await engine.runner.run(OF_LINK, query);
    await kept(snapshot);
    rmSync(folder, { recursive: true });
    await snapshot.save();
    expect(await readByTheNext()).toBe(0);
  });
});

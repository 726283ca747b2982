import { type Connection, mongo } from 'mongoose';
import { CopyRepository } from '../../../../src/program/cli/copy.repository';
import { CopyDiffersError, CopyRefusedError } from '../../../../src/program/cli/cli.errors';
import {
  dropTestDatabase,
  openTestDatabase,
  testDatabaseUri,
} from '../../../support/test-database';

const { Double, Int32, Long, ObjectId } = mongo;
const quietly = () => undefined;

let source: Connection;
let target: Connection;
let repository: CopyRepository;

beforeEach(async () => {
  source = await openTestDatabase(testDatabaseUri());
  target = await openTestDatabase(testDatabaseUri());
  repository = new CopyRepository(source, target);
  await source.collection<{ _id: string }>('settings').insertOne({ _id: 'visitor_key' });
});
afterEach(async () => {
  await dropTestDatabase(source);
  await dropTestDatabase(target);
});

const links = (count: number) =>
  Array.from({ length: count }, (_, n) => ({ n, text: `link ${n}` }));
const countOf = (connection: Connection, name: string) =>
  connection.collection(name).countDocuments({});

describe('A copy of a database', () => {
  it('contains every document with its types, and the indexes', async () => {
    const _id = new ObjectId();
    await source.collection('kinds').insertOne({
      _id,
      whole: new Double(3),
      small: new Int32(3),
      large: Long.fromString('9007199254740993'),
      at: new Date(5),
      bytes: Buffer.from([0, 255]),
      nothing: null,
      // Uses numeric names, because JavaScript sorts such keys first.
      marks: { b1: 1, '20': 2, '3': 3 },
      list: [{ 'a.b': 1 }, []],
    });
    await source.collection('kinds').createIndexes([
      { key: { whole: 1 }, unique: true, name: 'whole' },
      { key: { expires_at: 1 }, expireAfterSeconds: 0, name: 'expiry' },
      { key: { small: -1, at: 1 }, partialFilterExpression: { small: { $gt: 1 } }, name: 'some' },
    ]);

    expect(await repository.begin()).toBe(false);
    await repository.copy(quietly);
    const summaries = await repository.compare();
    await repository.finish();

    expect(summaries.map(({ name, documents }) => [name, documents])).toEqual([
      ['kinds', 1],
      ['settings', 1],
    ]);
    const as = { promoteValues: false };
    const [was, is] = await Promise.all(
      [source, target].map((each) => each.collection('kinds').findOne({}, as)),
    );
    expect(is).toEqual(was);
    expect(is?.whole).toBeInstanceOf(Double);
    expect(is?.small).toBeInstanceOf(Int32);
    expect(is?.large).toEqual(Long.fromString('9007199254740993'));
    const indexes = (connection: Connection) =>
      connection.collection('kinds').listIndexes().toArray();
    expect(await indexes(target)).toEqual(await indexes(source));
    expect((await target.listCollections()).map(({ name }) => name).sort()).toEqual([
      'kinds',
      'settings',
    ]);
  });

  it('continues after an interruption, with ids of any type', async () => {
    await source.collection('links').insertMany(links(2500));
    const mixed = [1, 2, 'a', 'b', new ObjectId(), new Date(7), true];
    const odd = source.collection<{ _id: unknown }>('odd');
    await odd.insertMany(mixed.map((_id) => ({ _id })));
    await repository.begin();
    const stop = new Error('broken off');
    const broken = repository.copy((name, copied) => {
      if (name === 'links' && copied >= 1000) throw stop;
    });
    await expect(broken).rejects.toBe(stop);
    expect(await countOf(target, 'links')).toBe(1000);
    // Simulates a write that was executed but not acknowledged: part of the next collection.
    await target
      .collection<{ _id: unknown }>('odd')
      .insertMany([{ _id: 1 }, { _id: 2 }, { _id: 'a' }]);

    const again = new CopyRepository(source, target);
    expect(await again.begin()).toBe(true);
    const told: [string, number, number][] = [];
    await again.copy((...progress) => told.push(progress));
    await again.compare();
    await again.finish();
    expect(await countOf(target, 'links')).toBe(2500);
    expect(await countOf(target, 'odd')).toBe(mixed.length);
    expect(told[0]).toEqual(['links', 2000, 2500]);
  });

  it('is rejected for a database with documents, and from or to another unfinished copy', async () => {
    await target.collection('accounts').insertOne({});
    await expect(repository.begin()).rejects.toThrow('not empty: it has documents in accounts');
    await target.collection('accounts').deleteMany({});
    await repository.begin();
    const other = await openTestDatabase(testDatabaseUri());
    await expect(new CopyRepository(other, target).begin()).rejects.toThrow(CopyRefusedError);
    await expect(new CopyRepository(target, other).begin()).rejects.toThrow('unfinished copy');
    await dropTestDatabase(other);
    expect(await countOf(target, 'accounts')).toBe(0);
  });

  it.each([
    [
      'a changed document',
      () => source.collection('links').updateOne({ n: 1 }, { $set: { n: 9 } }),
    ],
    ['a document more', () => source.collection('links').insertOne({ n: 10 })],
    ['a document that the copy alone has', () => target.collection('links').insertOne({ n: 10 })],
    ['a document less', () => target.collection('links').deleteOne({ n: 2 })],
    ['another type', () => target.collection('links').updateOne({ n: 1 }, { $set: { n: 1.0e40 } })],
    ['a collection that the copy alone has', () => target.collection('links2').insertOne({ n: 1 })],
  ])('is rejected for %s', async (_, change) => {
    await source.collection('links').insertMany(links(3));
    await repository.begin();
    await repository.copy(quietly);
    await repository.compare();
    await change();
    await expect(repository.compare()).rejects.toThrow(CopyDiffersError);
    await expect(repository.compare()).rejects.toThrow(/^links/);
  });

  it('may omit documents that expire within the hour', async () => {
    const sessions = source.collection('sessions');
    await sessions.createIndexes([
      { key: { expires_at: 1 }, expireAfterSeconds: 0, name: 'expiry' },
    ]);
    const inHours = (hours: number) => ({ expires_at: new Date(Date.now() + hours * 3_600_000) });
    await sessions.insertMany([inHours(-1), inHours(0.5), inHours(24), { expires_at: null }]);
    await repository.begin();
    await repository.copy(quietly);
    await target
      .collection('sessions')
      .deleteMany({ expires_at: { $lt: inHours(0.9).expires_at } });
    await expect(repository.compare()).resolves.toMatchObject([
      { name: 'sessions', documents: 2 },
      { name: 'settings' },
    ]);
    await target.collection('sessions').deleteMany({ expires_at: null });
    await expect(repository.compare()).rejects.toThrow('sessions (2 and 1 documents)');
  });

  it('does not say that a node has recorded clicks that are still in its journal', async () => {
    const drained = { _id: '0a1b2c3d', holder: '', renewals: 3, drained: true };
    await source.collection<{ _id: string }>('nodes').insertOne(drained);
    await repository.begin();
    await repository.copy(quietly);
    await expect(repository.compare()).resolves.toHaveLength(1);
    expect(await countOf(target, 'nodes')).toBe(0);
  });

  it('writes large documents in parts', async () => {
    const big = Array.from({ length: 3 }, (_, n) => ({ n, data: Buffer.alloc(5_000_000, n) }));
    for (const each of big) await source.collection('blocks').insertOne(each);
    await repository.begin();
    const parts: number[] = [];
    await repository.copy((name, copied) => {
      if (name === 'blocks') parts.push(copied);
    });
    expect(parts).toEqual([2, 3]);
    await expect(repository.compare()).resolves.toHaveLength(2);
  });
});

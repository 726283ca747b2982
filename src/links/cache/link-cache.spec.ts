import { mongo } from 'mongoose';
import type { AppLog } from '../../common/log';
import { LocalBus } from '../../infrastructure/change-bus/change-bus.module';
import { aLinkRecord } from '../../../test/support/shared/stored-link';
import { ClosedOwners } from '../../stores/links/closed-owners';
import { LinkCache } from './link-cache';
import type { LinkReads } from '../../stores/links/link-reads.repository';

const silent: AppLog = { debug: () => 0, info: () => 0, warn: () => 0, error: () => 0 };
/** A link in the BSON form that the database sends. */
const aLink = (alias: string, longUrl: string): Uint8Array =>
  mongo.BSON.serialize(aLinkRecord({ alias, long_url: longUrl }));

/** Stores links and can delay reads, like a slow database. */
class SlowStore {
  readonly links = new Map<string, Uint8Array>();
  reads = 0;
  readonly ignoresCase: boolean = false;
  hold: Promise<void> = Promise.resolve();
  private begin = (): void => undefined;
  /** Resolves once the first read has seen the links. */
  readonly begun = new Promise<void>((resolve) => (this.begin = resolve));

  async findUndecoded(aliases: readonly string[]): Promise<Uint8Array[]> {
    this.reads++;
    const found = aliases.flatMap((alias) => this.links.get(alias) ?? []);
    this.begin();
    await this.hold;
    return found;
  }
}

/** Also finds links by their aliases in lower case. */
class CaselessStore extends SlowStore {
  override readonly ignoresCase = true;

  findUndecodedByFolds(folds: readonly string[]): Promise<Uint8Array[]> {
    const aliases = [...this.links.keys()].filter((alias) => folds.includes(alias.toLowerCase()));
    return this.findUndecoded(aliases);
  }
}

const aDirectory = ({
  bus = new LocalBus(),
  owners = new ClosedOwners(),
  store = new SlowStore(),
} = {}) => {
  if (!owners.isLoaded) owners.replaceIds(new Set());
  const repository = store as unknown as LinkReads;
  const directory = new LinkCache(repository, bus, owners, silent, { memoryMb: 1 });
  return { store, directory };
};

describe('the link directory', () => {
  it('reads a link once and caches it', async () => {
    const { store, directory } = aDirectory();
    store.links.set('abc', aLink('abc', 'https://one.test'));
    expect((await directory.find('abc'))?.longUrl).toBe('https://one.test');
    expect((await directory.find('abc'))?.longUrl).toBe('https://one.test');
    expect(store.reads).toBe(1);
  });

  it('returns no link of an account until the closed accounts are loaded', async () => {
    const store = new SlowStore();
    const owners = new ClosedOwners();
    const repository = store as unknown as LinkReads;
    const directory = new LinkCache(repository, new LocalBus(), owners, silent, { memoryMb: 1 });
    const ownerId = new mongo.ObjectId();
    const record = aLinkRecord({ alias: 'abc', owner: ownerId });
    store.links.set('abc', mongo.BSON.serialize(record));
    const refused = { status: 503, headers: { 'Retry-After': '1' } };
    await expect(directory.find('abc')).rejects.toMatchObject(refused);
    expect(directory.get('abc')).toBeUndefined();
    await expect(directory.find('abc')).rejects.toMatchObject(refused);
    owners.replaceIds(new Set([ownerId.toHexString()]));
    expect((await directory.find('abc'))?.blocked).not.toBeNull();
  });

  describe('while change messages may be lost and the database fails', () => {
    const bus = Object.defineProperty(new LocalBus(), 'isWhole', { value: false });
    beforeEach(() => jest.useFakeTimers({ doNotFake: ['setImmediate', 'nextTick'] }));
    afterEach(() => jest.useRealTimers());

    it('returns a cached link after 50 ms, and immediately for a second after the failure', async () => {
      const { store, directory } = aDirectory({ bus });
      store.links.set('abc', aLink('abc', 'https://one.test'));
      await directory.find('abc');
      jest.advanceTimersByTime(1000);
      let fail = (): void => undefined;
      store.hold = new Promise((_, reject) => (fail = () => reject(new Error('away'))));
      store.hold.catch(() => undefined);
      const visit = directory.find('abc');
      await new Promise((resolve) => setImmediate(resolve));
      jest.advanceTimersByTime(50);
      expect((await visit)?.longUrl).toBe('https://one.test');
      fail();
      await new Promise((resolve) => setImmediate(resolve));
      expect(directory.get('abc')?.longUrl).toBe('https://one.test');
      jest.advanceTimersByTime(1001);
      expect(directory.get('abc')).toBeUndefined();
    });
  });

  it('counts only usable entries as cache hits', async () => {
    const { store, directory } = aDirectory();
    store.links.set('abc', aLink('abc', 'https://one.test'));
    await directory.find('abc');
    expect(directory.get('abc', () => false)).toBeUndefined();
    expect(directory.hits).toBe(0);
    expect(directory.get('abc', () => true)?.longUrl).toBe('https://one.test');
    expect(directory.hits).toBe(1);
  });

  it('caches the most recently visited links, as many as its memory allows', async () => {
    const { store, directory } = aDirectory();
    const aliases = Array.from({ length: 500 }, (_, i) => `a${i}`);
    for (const alias of aliases) {
      store.links.set(alias, aLink(alias, `https://example.com/${alias}/`.padEnd(3000, 'x')));
      await directory.find(alias);
      directory.get('a0');
    }
    const known = aliases.filter((alias) => directory.get(alias) !== undefined);
    expect(known.length).toBeGreaterThan(290);
    expect(known.length).toBeLessThan(350);
    expect(known).toEqual(['a0', ...aliases.slice(1 - known.length)]);
  });

  describe('in which case is ignored', () => {
    it('finds a link in another case with one more read, and then without reads', async () => {
      const { store, directory } = aDirectory({ store: new CaselessStore() });
      store.links.set('Poster', aLink('Poster', 'https://one.test'));
      expect((await directory.find('POSTER'))?.alias).toBe('Poster');
      expect(store.reads).toBe(2);
      expect((await directory.find('poster'))?.alias).toBe('Poster');
      expect(directory.get('Poster')?.alias).toBe('Poster');
      expect(store.reads).toBe(2);
      expect(await directory.find('other')).toBeNull();
      expect(store.reads).toBe(4);
    });

    it('finds the exact alias first, and nothing while several aliases match', async () => {
      const { store, directory } = aDirectory({ store: new CaselessStore() });
      store.links.set('Poster', aLink('Poster', 'https://one.test'));
      await directory.find('POSTER');
      store.links.set('POSTER', aLink('POSTER', 'https://two.test'));
      await directory.invalidate('POSTER');
      expect((await directory.find('POSTER'))?.longUrl).toBe('https://two.test');
      expect(await directory.find('poster')).toBeNull();
      store.links.delete('POSTER');
      await directory.invalidate('POSTER');
      expect((await directory.find('poster'))?.longUrl).toBe('https://one.test');
    });

    it('evicts a link that is renamed or deleted, also during the read', async () => {
      const { store, directory } = aDirectory({ store: new CaselessStore() });
      store.links.set('Poster', aLink('Poster', 'https://one.test'));
      let release = (): void => undefined;
      store.hold = new Promise((resolve) => (release = resolve));
      const early = directory.find('POSTER');
      await store.begun;
      release();
      await directory.invalidate('Poster');
      await early;
      store.links.delete('Poster');
      await directory.invalidate('Poster');
      expect(await directory.find('POSTER')).toBeNull();
      store.links.set('poster', aLink('poster', 'https://two.test'));
      expect((await directory.find('POSTER'))?.longUrl).toBe('https://two.test');
    });
  });

  it('never caches unknown aliases', async () => {
    const { store, directory } = aDirectory();
    expect(await directory.find('new')).toBeNull();
    store.links.set('new', aLink('new', 'https://new.test'));
    expect((await directory.find('new'))?.longUrl).toBe('https://new.test');
  });

  it('evicts a changed link', async () => {
    const { store, directory } = aDirectory();
    store.links.set('abc', aLink('abc', 'https://one.test'));
    await directory.find('abc');
    store.links.set('abc', aLink('abc', 'https://two.test'));
    await directory.invalidate('abc');
    expect((await directory.find('abc'))?.longUrl).toBe('https://two.test');
  });

  it.each(['forget', 'forgetAll'] as const)(
    'does not cache a read that began before the change (%s)',
    async (how) => {
      const { store, directory } = aDirectory();
      let release = (): void => undefined;
      store.hold = new Promise((resolve) => (release = resolve));
      store.links.set('abc', aLink('abc', 'https://old.test'));
      const early = directory.find('abc');
      await store.begun;
      store.links.set('abc', aLink('abc', 'https://new.test'));
      if (how === 'forget') await directory.invalidate('abc');
      else directory.clear();
      release();
      await early;
      expect((await directory.find('abc'))?.longUrl).toBe('https://new.test');
    },
  );

  it('detects a change within 30 s if its message was lost, without all entries expiring together', async () => {
    jest.useFakeTimers();
    try {
      const { store, directory } = aDirectory();
      const aliases = Array.from({ length: 200 }, (_, i) => `a${i}`);
      for (const alias of aliases) store.links.set(alias, aLink(alias, 'https://one.test'));
      const reading = Promise.all(aliases.map((alias) => directory.find(alias)));
      await jest.advanceTimersByTimeAsync(1);
      await reading;
      for (const alias of aliases) store.links.set(alias, aLink(alias, 'https://two.test'));
      const changedAfter = async (ms: number): Promise<number> => {
        await jest.advanceTimersByTimeAsync(ms);
        aliases.forEach((alias) => directory.get(alias));
        await jest.advanceTimersByTimeAsync(1000);
        const seen = aliases.map((alias) => directory.get(alias)?.longUrl);
        return seen.filter((longUrl) => longUrl === 'https://two.test').length;
      };
      expect(await changedAfter(18_500)).toBe(0);
      const half = await changedAfter(5000);
      expect(half).toBeGreaterThan(0);
      expect(half).toBeLessThan(200);
      expect(await changedAfter(5500)).toBe(200);
    } finally {
      jest.useRealTimers();
    }
  });

  it('keeps derived data of a link that is unchanged when it is read again', async () => {
    jest.useFakeTimers();
    try {
      const { store, directory } = aDirectory();
      const readAgain = async (): Promise<void> => {
        await jest.advanceTimersByTimeAsync(31_000);
        directory.get('abc');
        directory.get('gone');
        await jest.advanceTimersByTimeAsync(1000);
      };
      store.links.set('abc', aLink('abc', 'https://one.test'));
      store.links.set('gone', aLink('gone', 'https://gone.test'));
      const reading = Promise.all([directory.find('abc'), directory.find('gone')]);
      await jest.advanceTimersByTimeAsync(1);
      const [link] = await reading;
      store.links.delete('gone');
      await readAgain();
      expect(store.reads).toBe(2);
      expect(directory.get('abc')).toBe(link);
      expect(directory.get('gone')).toBeUndefined();
      store.links.set('abc', aLink('abc', 'https://two.test'));
      await readAgain();
      expect(store.reads).toBe(3);
      expect(directory.get('abc')?.longUrl).toBe('https://two.test');
    } finally {
      jest.useRealTimers();
    }
  });
});

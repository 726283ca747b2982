import { DatabaseUnavailableError } from '../../common/errors';
import { BatchedReads } from './link-reads';

describe('batched reads', () => {
  it('read all keys of an event-loop turn at once, and equal keys only once', async () => {
    const reads: string[][] = [];
    const batched = new BatchedReads<number>((keys) => {
      reads.push(keys);
      return Promise.resolve(new Map(keys.map((key) => [key, key.length])));
    });
    const found = await Promise.all(['a', 'bb', 'a', 'ccc'].map((key) => batched.find(key)));
    expect(found).toEqual([1, 2, 1, 3]);
    expect(reads).toEqual([['a', 'bb', 'ccc']]);
  });

  it('never exceed two concurrent reads and 100 keys per read', async () => {
    let under = 0;
    let most = 0;
    const batched = new BatchedReads<string>(async (keys) => {
      expect(keys.length).toBeLessThanOrEqual(100);
      most = Math.max(most, ++under);
      // Gives concurrent reads time to begin.
      await new Promise((resolve) => setImmediate(resolve));
      under--;
      return new Map();
    });
    await Promise.all(Array.from({ length: 5000 }, (_, i) => batched.find(`k${i}`)));
    expect(most).toBe(2);
  });

  it('return a failure to every waiting caller, and continue', async () => {
    let fail = true;
    const batched = new BatchedReads<string>((keys) =>
      fail ? Promise.reject(new Error('away')) : Promise.resolve(new Map([[keys[0] ?? '', 'x']])),
    );
    await expect(batched.find('a')).rejects.toThrow('away');
    fail = false;
    await expect(batched.find('a')).resolves.toBe('x');
  });

  it('fail immediately if too many keys are waiting', async () => {
    let release = (): void => undefined;
    const gate = new Promise<void>((resolve) => (release = resolve));
    const batched = new BatchedReads<string>(() => gate.then(() => new Map()));
    const waiting = Array.from({ length: 20_000 }, (_, i) => batched.find(`k${i}`));
    await expect(batched.find('one more')).rejects.toBeInstanceOf(DatabaseUnavailableError);
    release();
    await Promise.all(waiting);
  });
});

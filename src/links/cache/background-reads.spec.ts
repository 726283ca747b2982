import { BackgroundReads } from './link-reads';

describe('BackgroundReads', () => {
  beforeEach(() => jest.useFakeTimers());
  afterEach(() => jest.useRealTimers());

  it('collects distinct keys, and waits between reads of up to 32, longer if few keys remain', async () => {
    const sizes: number[] = [];
    const reads = new BackgroundReads((keys) => Promise.resolve(void sizes.push(keys.length)));
    for (let i = 0; i < 80; i++) reads.add(`a${i % 70}`);
    expect(sizes).toEqual([]);
    await jest.advanceTimersByTimeAsync(250);
    expect(sizes).toEqual([32]);
    await jest.advanceTimersByTimeAsync(10);
    expect(sizes).toEqual([32, 32]);
    await jest.advanceTimersByTimeAsync(249);
    expect(sizes).toEqual([32, 32]);
    await jest.advanceTimersByTimeAsync(1);
    expect(sizes).toEqual([32, 32, 6]);
  });

  it('runs one read at a time and accepts more keys during a read', async () => {
    let release = (): void => undefined;
    const seen: string[][] = [];
    const reads = new BackgroundReads((keys) => {
      seen.push(keys);
      return new Promise((resolve) => (release = resolve));
    });
    reads.add('first');
    await jest.advanceTimersByTimeAsync(1000);
    reads.add('second');
    await jest.advanceTimersByTimeAsync(1000);
    expect(seen).toEqual([['first']]);
    release();
    await jest.advanceTimersByTimeAsync(1000);
    expect(seen).toEqual([['first'], ['second']]);
  });
});

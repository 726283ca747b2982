import { BackgroundReads } from './link-reads';

describe('BackgroundReads', () => {
  beforeEach(() => jest.useFakeTimers());
  afterEach(() => jest.useRealTimers());

  it('gathers keys, each once, and pauses between reads of up to 500', async () => {
    const sizes: number[] = [];
    const reads = new BackgroundReads((keys) => Promise.resolve(void sizes.push(keys.length)));
    for (let i = 0; i < 1200; i++) reads.add(`a${i % 1100}`);
    expect(sizes).toEqual([]);
    await jest.advanceTimersByTimeAsync(250);
    expect(sizes).toEqual([500]);
    await jest.advanceTimersByTimeAsync(5000);
    expect(sizes).toEqual([500, 500, 100]);
  });

  it('has one read under way at a time and takes keys that come meanwhile', async () => {
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

import { LoadProgress } from './load-progress';

describe('The estimated remaining time', () => {
  let now: number;
  beforeEach(() => {
    now = 1000;
    jest.spyOn(performance, 'now').mockImplementation(() => now);
  });
  afterEach(() => jest.restoreAllMocks());

  it('is the time that the query has taken, until stores are read', () => {
    const progress = new LoadProgress();
    now += 45_000;
    expect(progress.remainingMs).toBe(45_000);
    progress.beginStores(100_000);
    now += 5000;
    expect(progress.remainingMs).toBe(5000);
  });

  it('includes the clicks while stores are being read, and decreases', () => {
    const progress = new LoadProgress();
    progress.beginStores(100_000);
    now += 10_000;
    progress.addStores(25_000);
    expect(progress.remainingMs).toBe(30_000 + 4 * 40_000);
    now += 30_000;
    progress.addStores(75_000);
    expect(progress.remainingMs).toBe(4 * 40_000);
    progress.begin(1_000_000, () => 0);
    expect(progress.remainingMs).toBe(4 * 40_000);
  });

  it('depends on the clicks that have been read', () => {
    const progress = new LoadProgress();
    let held = 100_000;
    progress.begin(1_000_000, () => held);
    now += 30_000;
    held += 100_000;
    expect(progress.remainingMs).toBe(8 * 30_000);
    held = 1_000_000;
    expect(progress.remainingMs).toBe(0);
  });
});

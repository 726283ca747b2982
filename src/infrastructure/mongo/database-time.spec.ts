import { DatabaseClock } from './database-time';

describe("The database's clock", () => {
  let steady = 0;
  let behind = 0;
  /** Milliseconds until the request reaches the database, and until the response returns. */
  let [way, back] = [0, 0];

  const aClock = (): DatabaseClock =>
    new DatabaseClock(
      () => {
        steady += way;
        const now = new Date(1_000_000 + steady - behind);
        steady += back;
        return Promise.resolve(now);
      },
      () => steady,
    );

  beforeEach(() => {
    jest.useFakeTimers();
    [steady, behind, way, back] = [0, 0, 0, 0];
  });
  afterEach(() => void jest.useRealTimers());

  it.each([
    { from: 0, to: 0, passed: 60_000, falls: 0 },
    { from: 0, to: 900, passed: 60_000, falls: 0 },
    { from: 0, to: 1100, passed: 60_000, falls: 1 },
    // The clock has not yet reached the time it showed before it was set back.
    { from: 0, to: 40_000, passed: 60_000, falls: 1 },
    { from: 0, to: 40_000, passed: 0, falls: 1 },
    { from: 40_000, to: 0, passed: 60_000, falls: 0 },
  ])('is set back $falls times, $from and then $to ms behind', async (clock) => {
    const database = aClock();
    behind = clock.from;
    expect((await database.ask()).falls).toBe(0);
    steady += clock.passed;
    behind = clock.to;
    const { now, falls } = await database.ask();
    expect([now.getTime(), falls]).toEqual([1_000_000 + steady - behind, clock.falls]);
    expect((await database.ask()).falls).toBe(clock.falls);
  });

  it.each([
    [0, 5000],
    [5000, 0],
    [3000, 3000],
  ])('is not considered set back if a response takes %d and %d ms', async (...times) => {
    const database = aClock();
    [way, back] = times;
    await database.ask();
    [way, back] = [0, 0];
    expect((await database.ask()).falls).toBe(0);
    [way, back] = times;
    expect((await database.ask()).falls).toBe(0);
  });

  it('is checked between queries, so that going back and forward again is detected', async () => {
    const database = aClock();
    await database.ask();
    behind = 40_000;
    await jest.advanceTimersByTimeAsync(6000);
    behind = 0;
    await jest.advanceTimersByTimeAsync(6000);
    expect((await database.ask()).falls).toBe(1);
  });

  it('is checked only for as long as lists are kept', async () => {
    const read = jest.fn(() => Promise.resolve(new Date(steady)));
    const database = new DatabaseClock(read, () => steady);
    await database.ask();
    steady += 32 * 60_000;
    await jest.advanceTimersByTimeAsync(6000);
    const { length } = read.mock.calls;
    await jest.advanceTimersByTimeAsync(60_000);
    expect(read.mock.calls).toHaveLength(length);
  });

  it('fails if the database fails, and is checked again afterwards', async () => {
    let isAway = true;
    const read = jest.fn(() =>
      isAway ? Promise.reject(new Error('away')) : Promise.resolve(new Date(steady)),
    );
    const database = new DatabaseClock(read, () => steady);
    await expect(database.ask()).rejects.toThrow('away');
    isAway = false;
    await database.ask();
    const { length } = read.mock.calls;
    await jest.advanceTimersByTimeAsync(6000);
    expect(read.mock.calls.length).toBeGreaterThan(length);
    isAway = true;
    await jest.advanceTimersByTimeAsync(60_000);
    isAway = false;
    expect((await database.ask()).falls).toBe(0);
  });
});

import { Backoff, CHILD_BACKOFF } from './backoff';

describe('Backoff', () => {
  it('doubles from 100 ms to 5 s and then stays constant', () => {
    const backoff = new Backoff(CHILD_BACKOFF);
    const waits = Array.from({ length: 8 }, () => backoff.next(10));
    expect(waits).toEqual([100, 200, 400, 800, 1600, 3200, 5000, 5000]);
  });

  it('starts again at 100 ms after 30 seconds of uptime', () => {
    const backoff = new Backoff(CHILD_BACKOFF);
    for (let i = 0; i < 5; i += 1) backoff.next(29_999);
    expect(backoff.next(30_000)).toBe(100);
    expect(backoff.next(0)).toBe(200);
  });
});

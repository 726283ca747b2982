import { MemoryRateLimitStore } from './memory.rate-limit-store';
import { HOUR_MS, MINUTE_MS } from '../../common/time';

describe('MemoryWindows', () => {
  let now: number;
  let windows: MemoryRateLimitStore;
  beforeEach(() => {
    now = Date.UTC(2026, 10, 21);
    windows = new MemoryRateLimitStore(() => now);
  });

  const minute = { limit: 2, ms: MINUTE_MS };
  const hour = { limit: 3, ms: HOUR_MS };

  it('opens a window with the first request and closes it after its full length', () => {
    const start = now;
    expect(windows.judge('a', [minute])).toMatchObject({
      allowed: true,
      now: start,
      windows: [{ limit: 2, count: 1, endsAt: start + MINUTE_MS }],
    });
    now += MINUTE_MS - 1;
    expect(windows.judge('a', [minute]).windows[0]).toMatchObject({ endsAt: start + MINUTE_MS });
    expect(windows.judge('a', [minute]).allowed).toBe(false);
    now += 1;
    expect(windows.judge('a', [minute])).toMatchObject({
      allowed: true,
      windows: [{ count: 1, endsAt: now + MINUTE_MS }],
    });
  });

  it('counts a rejected request in no window', () => {
    for (let i = 0; i < 2; i++) windows.judge('a', [minute, hour]);
    const refused = windows.judge('a', [minute, hour]);
    expect(refused.allowed).toBe(false);
    expect(refused.windows.map((window) => window.count)).toEqual([2, 2]);
    now += MINUTE_MS;
    const next = windows.judge('a', [minute, hour]);
    expect(next.allowed).toBe(true);
    expect(next.windows.map((window) => window.count)).toEqual([1, 3]);
    const spent = windows.judge('a', [minute, hour]);
    expect(spent.allowed).toBe(false);
    expect(spent.windows.map((window) => window.count)).toEqual([1, 3]);
  });

  it('counts each key and window length separately', () => {
    windows.judge('a', [minute]);
    expect(windows.judge('b', [minute]).windows[0]?.count).toBe(1);
    expect(windows.judge('a', [hour]).windows[0]?.count).toBe(1);
  });

  it('does not extend a window if the clock is set back', () => {
    windows.judge('a', [minute]);
    now -= HOUR_MS;
    expect(windows.judge('a', [minute]).windows[0]).toMatchObject({
      count: 1,
      endsAt: now + MINUTE_MS,
    });
  });

  describe('a refund', () => {
    it('allows one more request in every window', () => {
      for (let i = 0; i < 2; i++) windows.judge('a', [minute, hour]);
      now += MINUTE_MS;
      const third = windows.judge('a', [minute, hour]);
      expect(third.allowed).toBe(true);
      windows.uncount('a', [minute, hour], third);
      expect(windows.judge('a', [minute, hour]).windows.map((w) => w.count)).toEqual([1, 3]);
    });

    it('leaves no empty window', () => {
      windows.uncount('a', [minute], windows.judge('a', [minute]));
      expect(windows.size).toBe(0);
      now += 1000;
      expect(windows.judge('a', [minute]).windows[0]).toMatchObject({
        count: 1,
        endsAt: now + MINUTE_MS,
      });
    });

    it('does not change a window that was opened later', () => {
      const verdict = windows.judge('a', [minute]);
      now += 2 * MINUTE_MS;
      windows.judge('a', [minute]);
      windows.uncount('a', [minute], verdict);
      expect(windows.judge('a', [minute]).windows[0]?.count).toBe(2);
    });
  });

  it('distinguishes windows with the same key by their part', () => {
    const rules = [
      { ...minute, part: 'x' },
      { limit: 3, ms: MINUTE_MS },
    ];
    for (let i = 0; i < 2; i++) expect(windows.judge('a', rules).allowed).toBe(true);
    expect(windows.judge('a', rules).allowed).toBe(false);
    const other = [
      { ...minute, part: 'y' },
      { limit: 3, ms: MINUTE_MS },
    ];
    expect(windows.judge('a', other).windows.map((w) => w.count)).toEqual([1, 3]);
    expect(windows.judge('a', other).allowed).toBe(false);
  });

  describe('a cost', () => {
    const ten = { limit: 10, ms: MINUTE_MS };
    const twelve = { limit: 12, ms: HOUR_MS };
    const counts = (cost: number) =>
      windows.judge('a', [ten, twelve], cost).windows.map(({ count }) => count);

    it('is counted in full in all windows, or in none', () => {
      expect(counts(4)).toEqual([4, 4]);
      expect(windows.judge('a', [ten, twelve], 7)).toMatchObject({ allowed: false, cost: 7 });
      expect(counts(6)).toEqual([10, 10]);
      now += MINUTE_MS;
      // The longer window allows only two more requests.
      expect(windows.judge('a', [ten, twelve], 3).allowed).toBe(false);
      expect(counts(2)).toEqual([2, 12]);
    });

    it('opens no window if it exceeds a limit', () => {
      expect(windows.judge('a', [ten], 11)).toMatchObject({
        allowed: false,
        windows: [{ count: 0, endsAt: now + MINUTE_MS }],
      });
      expect(windows.size).toBe(0);
    });

    it('is refunded in full', () => {
      counts(3);
      const verdict = windows.judge('a', [ten, twelve], 5);
      windows.uncount('a', [ten, twelve], verdict);
      expect(counts(1)).toEqual([4, 4]);
    });
  });

  it('drops windows that have ended', () => {
    for (let i = 0; i < 100; i++) windows.judge(`key ${i}`, [minute]);
    expect(windows.size).toBe(100);
    now += 2 * MINUTE_MS;
    windows.judge('a', [minute]);
    expect(windows.size).toBe(1);
  });

  it('also implements the interface of @nestjs/throttler', async () => {
    await windows.increment('a', MINUTE_MS, 1, MINUTE_MS, 'route');
    expect(await windows.increment('a', MINUTE_MS, 1, MINUTE_MS, 'route')).toEqual({
      totalHits: 2,
      timeToExpire: 60,
      isBlocked: true,
      timeToBlockExpire: 60,
      allowed: false,
      windows: [{ limit: 1, count: 1, endsAt: now + MINUTE_MS }],
      cost: 1,
      now,
    });
  });
});

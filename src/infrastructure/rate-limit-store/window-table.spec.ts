import { MemoryRateLimitStore } from './memory.rate-limit-store';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../common/time';
import { WindowTable } from './window-table';

const NOW = Date.UTC(2026, 10, 21);
const minute = { limit: 20, ms: MINUTE_MS };
const day = { limit: 200, ms: DAY_MS };

describe('A table of windows', () => {
  it('uses 24 bytes per window, and the same memory when full and when empty', () => {
    const windows = new MemoryRateLimitStore(() => NOW, { clients: 4096, others: 1024 });
    expect(windows.bytes).toBe(24 * (4096 + 1024));
    for (let i = 0; i < 20_000; i++) windows.judge(`row|ip:${i}`, [minute, day]);
    expect(windows.bytes).toBe(24 * (4096 + 1024));
    expect(windows.size).toBeLessThanOrEqual(4096);
    expect(windows.size).toBeGreaterThan(4000);
  });

  it('drops no window while there is free space', () => {
    // A bucket's 16 slots hold two windows on average; an overflow is extremely unlikely.
    const windows = new MemoryRateLimitStore(() => NOW, { clients: 65_536, others: 1024 });
    for (let i = 0; i < 4000; i++) windows.judge(`row|ip:${i}`, [minute, day]);
    for (let i = 0; i < 4000; i++) {
      const verdict = windows.judge(`row|ip:${i}`, [minute, day]);
      expect(verdict.windows.map((window) => window.count)).toEqual([2, 2]);
    }
  });

  it('accepts every key even when it is full', () => {
    const windows = new MemoryRateLimitStore(() => NOW, { clients: 64, others: 16 });
    for (let i = 0; i < 5000; i++)
      expect(windows.judge(`row|ip:${i}`, [minute]).allowed).toBe(true);
  });

  it('keeps the windows of a blocked caller if very many new keys arrive', () => {
    const windows = new MemoryRateLimitStore(() => NOW, { clients: 1024, others: 16 });
    const login = { limit: 5, ms: MINUTE_MS };
    for (const name of ['a', 'b', 'c']) {
      for (let i = 0; i < 5; i++) windows.judge(`login|ip:${name}`, [login]);
    }
    for (let i = 0; i < 50_000; i++) windows.judge(`row|ip:${i}`, [minute, day]);
    for (const name of ['a', 'b', 'c']) {
      expect(windows.judge(`login|ip:${name}`, [login]).allowed).toBe(false);
    }
  });

  it("does not drop an account's windows because of client addresses", () => {
    const windows = new MemoryRateLimitStore(() => NOW, { clients: 64, others: 64 });
    const account = { limit: 30, ms: HOUR_MS };
    windows.judge('auth.login-account|email:x', [account]);
    // All windows are used up, and there are many more windows than slots.
    const one = { limit: 1, ms: DAY_MS };
    for (let i = 0; i < 5000; i++) windows.judge(`row|ip:${i}`, [one]);
    const verdict = windows.judge('auth.login-account|email:x', [account]);
    expect(verdict.windows[0]?.count).toBe(2);
  });

  it('reuses the slots of ended windows before it evicts an open one', () => {
    let now = NOW;
    const windows = new MemoryRateLimitStore(() => now, { clients: 16, others: 16 });
    const hour = { limit: 30, ms: HOUR_MS };
    windows.judge('row|ip:lives', [hour]);
    for (let i = 0; i < 15; i++) windows.judge(`row|ip:ends ${i}`, [{ limit: 2, ms: MINUTE_MS }]);
    now += MINUTE_MS;
    for (let i = 0; i < 15; i++) windows.judge(`row|ip:new ${i}`, [{ limit: 2, ms: MINUTE_MS }]);
    expect(windows.judge('row|ip:lives', [hour]).windows[0]?.count).toBe(2);
  });

  it('evicts the window that ends first if all have the same count', () => {
    const table = new WindowTable(16);
    const place = (key: string) => table.placeFromKey(key);
    for (let i = 0; i < 16; i++) {
      table.write(place(`key ${i}`), { count: 1, endsAt: NOW + 1000 - i }, 5, NOW);
    }
    table.write(place('new'), { count: 1, endsAt: NOW + 1000 }, 5, NOW);
    expect(table.read(place('key 15'))).toBeNull();
    for (let i = 0; i < 15; i++) expect(table.read(place(`key ${i}`))).not.toBeNull();
    expect(table.read(place('new'))).toEqual({ count: 1, endsAt: NOW + 1000 });
  });

  it('stores the same keys in different places in each process', () => {
    const [one, other] = [new WindowTable(2 ** 16), new WindowTable(2 ** 16)];
    const keys = Array.from({ length: 20 }, (_, i) => `key ${i}`);
    const laid = (table: WindowTable) => keys.map((key) => table.placeFromKey(key).bucket);
    expect(laid(one)).not.toEqual(laid(other));
    expect(laid(one)).toEqual(laid(one));
  });
});

import { DAY_MS, MINUTE_MS } from '../../common/time';
import { Caller, type Principal } from '../access';
import {
  changeLimits,
  LIMITS,
  type LimitName,
  limitRow,
  limitText,
  windowsForCaller,
} from './rate-limits';

const NAMES = Object.keys(LIMITS) as LimitName[];
const ANONYMOUS = new Caller(null);
const SOMEBODY = new Caller({ userId: 'u' } as Principal);
const perMinute = (limit: number) => ({ limit, ms: MINUTE_MS });

describe('The table of limits', () => {
  afterEach(() => changeLimits(new Map()));

  it.each(NAMES)('has windows for every caller of %s, shortest first', (name) => {
    for (const caller of [ANONYMOUS, SOMEBODY]) {
      const spans = windowsForCaller(limitRow(name), caller).map(({ ms }) => ms);
      expect(spans.length).toBeGreaterThan(0);
      expect(spans).toEqual([...new Set(spans)].sort((a, b) => a - b));
    }
  });

  it.each(NAMES)('allows accounts at least as many requests to %s as client addresses', (name) => {
    const own = windowsForCaller(limitRow(name), SOMEBODY);
    const others = windowsForCaller(limitRow(name), ANONYMOUS);
    expect(own.map(({ ms }) => ms)).toEqual(others.map(({ ms }) => ms));
    own.forEach(({ limit }, i) => expect(limit).toBeGreaterThanOrEqual(others[i]?.limit ?? 0));
  });

  it('uses the operator’s numbers and shows them in the hint', () => {
    changeLimits(new Map([['links.create', { authenticated: [perMinute(7)] }]]));
    const row = limitRow('links.create');
    expect(windowsForCaller(row, SOMEBODY)).toEqual([perMinute(7)]);
    expect(windowsForCaller(row, ANONYMOUS)).toEqual(LIMITS['links.create'].anonymous);
    expect(limitRow('links.list').hint).toMatch(/POST \/api\/v1\/shorten allows 7 per minute$/);
    expect(limitRow('legacy.shorten').hint).toBe(LIMITS['legacy.shorten'].hint);
  });

  it('has no window for a disabled row, and starts from the default numbers each time', () => {
    changeLimits(new Map([['links.create', 'off']]));
    expect(windowsForCaller(limitRow('links.create'), SOMEBODY)).toEqual([]);
    expect(windowsForCaller(limitRow('links.create'), ANONYMOUS)).toEqual([]);
    expect(limitRow('links.list').hint).toMatch(/allows unlimited requests$/);
    changeLimits(new Map());
    expect(limitRow('links.create')).toEqual(LIMITS['links.create']);
  });

  it.each(['links.creat', 'constructor', '__proto__'])('rejects the row %s', (name) => {
    expect(() => changeLimits(new Map([[name, 'off']]))).toThrow(`"${name}" is not one of`);
  });

  it('can be described in words', () => {
    const two = [perMinute(5), { limit: 9, ms: DAY_MS }];
    expect(limitText({ anonymous: two })).toBe(
      'Limit: 5 per minute and 9 per day for each client address.',
    );
    expect(limitText({ authenticated: [perMinute(3)] })).toBe(
      'Limit: 3 per minute for each account.',
    );
    expect(limitText({ authenticated: two, anonymous: [perMinute(1)] })).toBe(
      'Limit: 5 per minute and 9 per day for each account, 1 per minute for each client address without a credential.',
    );
  });
});

import { EngineBusyError } from './chunk/engine.errors';
import type { StatisticsResult } from './query/statistics-query';
import { OpenResults } from './open-results';

function result(labels: string[]): StatisticsResult {
  const clicks = Array.from(labels, (_, i) => labels.length - i);
  const list = { labels, clicks, visitors: clicks, size: labels.length };
  return {
    summary: {
      clicks: 0,
      visitors: 0,
      first: null,
      last: null,
      redirectMs: 0,
      withoutVisitor: 0,
      untimed: 0,
    },
    breakdowns: { referrer: { ...list, clicksSum: 0, visitorsSum: 0 } },
  };
}

describe('Open results', () => {
  let now = 0;
  const LIMITS = { most: 2, bytes: 10_000, idleMs: 1_000 };
  const held = (limits = LIMITS) => new OpenResults(limits, () => now);

  it('are read page by page until the caller releases them', () => {
    const kept = held();
    const cursorId = kept.hold(result(['a', 'b', 'c']));
    expect(kept.rows(cursorId, 'referrer', 0, 2).labels).toEqual(['a', 'b']);
    expect(kept.rows(cursorId, 'referrer', 2, 2)).toMatchObject({
      labels: ['c'],
      clicks: Array.of(1),
    });
    expect(kept.rows(cursorId, 'referrer', 3, 2).labels).toEqual([]);
    kept.release(cursorId);
    expect(() => kept.rows(cursorId, 'referrer', 0, 2)).toThrow('have expired');
  });

  it('return a shorter page if labels are long, but never an empty one', () => {
    const kept = held({ ...LIMITS, bytes: Infinity });
    const labels = Array.from({ length: 5 }, (_, i) => String(i).repeat(300_000));
    const cursorId = kept.hold(result(labels));
    const sizes = [];
    for (let from = 0; from < 5; from += sizes.at(-1)!) {
      sizes.push(kept.rows(cursorId, 'referrer', from, 2000).labels.length);
    }
    expect(sizes).toEqual([2, 2, 1]);
  });

  it('are limited in number and bytes, and results of inactive readers are dropped first', () => {
    const kept = held();
    const first = kept.hold(result(['a']));
    const second = kept.hold(result(['b']));
    expect(() => kept.hold(result(['c']))).toThrow(EngineBusyError);
    now += 800;
    kept.rows(second, 'referrer', 0, 1);
    now += 800;
    const third = kept.hold(result(['c']));
    expect(() => kept.rows(first, 'referrer', 0, 1)).toThrow('have expired');
    expect(kept.rows(second, 'referrer', 0, 1).labels).toEqual(['b']);
    kept.release(third);
    expect(() => kept.hold(result(['x'.repeat(10_000)]))).toThrow(EngineBusyError);
    kept.release(second);
    expect(kept.hold(result(['x'.repeat(10_000)]))).toBeGreaterThan(third);
  });
});

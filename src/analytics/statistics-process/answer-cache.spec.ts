import { AnswerCache, bytesOfRows } from './answer-cache';
import type { StatisticsResult } from '../../engines/click-engine/query/statistics-query';

function result(labels: string[] = []): StatisticsResult {
  const none = new Array<number>(labels.length).fill(0);
  const list = { labels, clicks: none, visitors: none, size: 0, clicksSum: 0, visitorsSum: 0 };
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
    breakdowns: { referrer: list },
  };
}

describe('Cached results', () => {
  let now = 0;
  const cache = (bytes?: number) => new AnswerCache(bytesOfRows, bytes, () => now);
  beforeEach(() => {
    now = 1_000_000;
  });

  it('stay valid for some seconds if the link has no new clicks', () => {
    const kept = cache();
    const answer = result();
    kept.put('k', 7, answer, 5);
    now += 5_000;
    expect(kept.get('k', 7)).toBe(answer);
    expect(kept.get('k', 8)).toBeNull();
    expect(kept.get('other', 7)).toBeNull();
    now += 1;
    expect(kept.get('k', 7)).toBeNull();
  });

  it('stay valid longer if they took long to compute, even if the link has new clicks', () => {
    const kept = cache();
    const answer = result();
    kept.put('k', 7, answer, 1_000);
    now += 10_000;
    expect(kept.get('k', 9)).toBe(answer);
    now += 1;
    expect(kept.get('k', 7)).toBeNull();
  });

  it('use a limited number of bytes, and the least recently used result is evicted first', () => {
    const kept = cache(30_000);
    const large = (): StatisticsResult => result(['x'.repeat(5_000)]);
    kept.put('a', 1, large(), 0);
    kept.put('b', 1, large(), 0);
    expect(kept.get('a', 1)).not.toBeNull();
    kept.put('c', 1, large(), 0);
    expect([kept.get('a', 1), kept.get('b', 1), kept.get('c', 1)].map(Boolean)).toEqual([
      true,
      false,
      true,
    ]);
    kept.put('d', 1, result(['x'.repeat(50_000)]), 0);
    expect(kept.get('d', 1)).toBeNull();
  });
});

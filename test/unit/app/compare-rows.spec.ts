import { compareRows } from '../../../web/stats/compare-rows';

const series = (...clicks: readonly number[]) =>
  clicks.map((value, i) => ({ label: `2026-0${i + 1}`, clicks: value, visitors: value * 2 }));
const figures = (...[first, second, together]: Parameters<typeof compareRows>) =>
  compareRows(first, second, together).rows.map(({ clicks, other }) => [clicks, other]);

describe('two series over time', () => {
  it('have the same time steps, even if only one of them has a step', () => {
    const { rows, moved } = compareRows(series(1, 2), series(0, 5, 6), false);
    expect(rows).toEqual([
      { label: '2026-01', clicks: 1, visitors: 2, other: 0, otherVisitors: 0 },
      { label: '2026-02', clicks: 2, visitors: 4, other: 5, otherVisitors: 10 },
      { label: '2026-03', clicks: 0, visitors: 0, other: 6, otherVisitors: 12 },
    ]);
    expect(moved).toBeNull();
  });

  it('begin at the first clicks of either series', () => {
    const [early, late] = [series(0, 1, 2, 3, 0, 0), series(0, 0, 0, 0, 5, 6)];
    const together = [
      [1, 5],
      [2, 6],
      [3, 0],
    ];
    expect(figures(early, late, true)).toEqual(together);
    expect(figures(late, early, true)).toEqual(together.map((row) => row.toReversed()));
    expect(compareRows(early, late, true).moved).toEqual({ which: 'second', by: 3 });
    expect(compareRows(late, early, true).moved).toEqual({ which: 'first', by: 3 });
    expect(compareRows(early, late, true).rows[0]?.label).toBe('2026-02');
  });

  it('do not move if one of them has no clicks', () => {
    expect(figures(series(0, 1), series(0, 0), true)).toEqual([
      [0, 0],
      [1, 0],
    ]);
    expect(compareRows([], [], true)).toEqual({ rows: [], moved: null });
  });
});

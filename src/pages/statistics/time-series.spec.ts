import { timeSeries } from './time-chart';

/** Days from 2024-01-01, a Monday, with one click each. */
function days(count: number) {
  return Array.from({ length: count }, (_, i) => {
    const label = new Date(Date.UTC(2024, 0, 1 + i)).toISOString().slice(0, 10);
    return { label, clicks: 1, visitors: 1 };
  });
}

const total = (columns: readonly { clicks: number }[]) =>
  columns.reduce((sum, { clicks }) => sum + clicks, 0);

describe('timeSeries', () => {
  it('keeps days while they fit', () => {
    expect(timeSeries(days(92))).toEqual({ step: 'day', columns: days(92) });
  });

  it('sums to weeks from Monday and loses no click', () => {
    const { step, columns } = timeSeries(days(100));
    expect(step).toBe('week');
    expect(columns[0]).toEqual({ label: '2024-01-01', clicks: 7 });
    expect(columns[1]?.label).toBe('2024-01-08');
    expect(total(columns)).toBe(100);
  });

  it('sums to months when weeks are too many', () => {
    const { step, columns } = timeSeries(days(1000));
    expect(step).toBe('month');
    expect(columns[1]).toEqual({ label: '2024-02-01', clicks: 29 });
    expect(total(columns)).toBe(1000);
  });

  it('has no columns without days', () => {
    expect(timeSeries([]).columns).toEqual([]);
  });
});

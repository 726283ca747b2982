import { scale } from './chart-drawing';
import { timeChart } from './time-chart';

const rows = (count: number, clicks = 1) =>
  Array.from({ length: count }, (_, i) => ({
    label: new Date(Date.UTC(2026, 0, 1 + i)).toISOString().slice(0, 10),
    clicks,
    visitors: 1,
  }));

const plotOf = (markup: string) => markup.split('class="plot"')[1]?.split('</svg>')[0] ?? '';

describe('the axis of clicks', () => {
  it.each([
    [0, [0, 1]],
    [1, [0, 1]],
    [3, [0, 1, 2, 3]],
    [7, [0, 2, 4, 6, 8]],
    [100, [0, 50, 100]],
    [593, [0, 200, 400, 600]],
    [1_234_567, [0, 500_000, 1_000_000, 1_500_000]],
  ])('for at most %d clicks has the steps %j', (most, ticks) => {
    expect(scale(most)).toEqual({ top: ticks.at(-1), ticks });
  });
});

describe('the chart', () => {
  it('has numbers on its columns while they have room', () => {
    expect(plotOf(timeChart({ buckets: 'daily', rows: rows(8) }).markup)).toContain('"value"');
    expect(plotOf(timeChart({ buckets: 'daily', rows: rows(9) }).markup)).not.toContain('"value"');
  });

  it('names at most five of its columns below them', () => {
    for (const count of [1, 5, 7, 30, 92]) {
      const plot = plotOf(timeChart({ buckets: 'daily', rows: rows(count, 0) }).markup);
      const labels = plot.match(/<text/g) ?? [];
      expect(labels.length).toBeGreaterThanOrEqual(1);
      expect(labels.length).toBeLessThanOrEqual(5);
    }
  });

  it('names quarters of a day, also of one that has just begun', () => {
    const hours = [{ label: '2026-11-21 00:00', clicks: 1, visitors: 1 }];
    const plot = plotOf(timeChart({ buckets: 'hourly', rows: hours }).markup);
    expect(plot.match(/>\d\d:\d\d</g)).toEqual(['>00:00<', '>06:00<', '>12:00<', '>18:00<']);
  });

  it('stands on the right while there are few days, and on the left in the hours of a day', () => {
    const place = (markup: string) => Number(/<rect\s+x="([\d.]+)%"/.exec(markup)?.[1]);
    expect(place(timeChart({ buckets: 'daily', rows: rows(1) }).markup)).toBeGreaterThan(80);
    expect(place(timeChart({ buckets: 'hourly', rows: rows(1) }).markup)).toBeLessThan(1);
  });

  it('never leaves its drawing', () => {
    const plot = plotOf(timeChart({ buckets: 'weekly', rows: rows(50, 7) }).markup);
    const rects = [...plot.matchAll(/<rect\s+x="([\d.]+)%"\s+y="([\d.]+)%"\s+width="([\d.]+)%"/g)];
    expect(rects).toHaveLength(50);
    for (const [, x, y, width] of rects) {
      expect(Number(x) + Number(width)).toBeLessThanOrEqual(100);
      expect(Number(y)).toBeGreaterThanOrEqual(0);
    }
  });
});

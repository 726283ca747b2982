import { bucketNames, chartDrawing, scale, withPartials } from '../../pages/chart-drawing';
import { timeChart } from './statistics-page';

const rows = (count: number, clicks = 1) =>
  Array.from({ length: count }, (_, i) => ({
    label: new Date(Date.UTC(2026, 0, 1 + i)).toISOString().slice(0, 10),
    clicks,
    visitors: 1,
  }));

const plotOf = (markup: string) => markup.split('class="plot"')[1]?.split('</svg>')[0] ?? '';

describe('the axis of the chart', () => {
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
  it('labels months, weeks and hours for people, with offsets for repeated hours', () => {
    const name = (buckets: 'hourly' | 'weekly' | 'monthly', ...labels: string[]) =>
      bucketNames(
        buckets,
        labels.map((label) => ({ label })),
      );
    expect(name('monthly', '2026-03')).toEqual(['March 2026']);
    expect(name('weekly', '2026-03-02')).toEqual(['Week of 2 Mar 2026']);
    expect(
      name('hourly', '2026-10-25T01:00+02:00', '2026-10-25T02:00+02:00', '2026-10-25T02:00+01:00'),
    ).toEqual([
      '25 Oct 2026, 01:00',
      '25 Oct 2026, 02:00 (UTC+02:00)',
      '25 Oct 2026, 02:00 (UTC+01:00)',
    ]);
  });

  it('marks the current time step, and a step that began before the range', () => {
    const months = ['2026-01', '2026-02', '2026-03'].map((label) => ({ label, clicks: 1 }));
    const range = { from: '2026-01-12', isOpen: true };
    const marks = withPartials('monthly', months, range).map(({ partial }) => partial);
    expect(marks).toEqual(['from 12 Jan on', undefined, 'so far']);
    const whole = withPartials('monthly', months, { from: '2026-01-01', isOpen: false });
    expect(whole.map(({ partial }) => partial)).toEqual([undefined, undefined, undefined]);
    const rows = withPartials('monthly', months, range).map((row) => ({ ...row, visitors: 1 }));
    const markup = timeChart({ buckets: 'monthly', rows }).markup;
    expect(plotOf(markup).match(/class="partial"/g)).toHaveLength(2);
    expect(markup).toContain('March 2026: 1 click, so far');
    const empty = rows.map((row) => ({ ...row, clicks: 0 }));
    expect(markup).toContain('Incomplete');
    expect(timeChart({ buckets: 'monthly', rows: empty }).markup).not.toContain('Incomplete');
  });

  it('labels days below the hours in a range of several days', () => {
    const hours = Array.from({ length: 48 }, (_, i) => ({
      label: `${new Date(Date.UTC(2026, 10, 20, i)).toISOString().slice(0, 16)}+00:00`,
      clicks: 1,
      visitors: 1,
    }));
    const plot = plotOf(timeChart({ buckets: 'hourly', rows: hours }).markup);
    expect(plot.match(/>\d+ Nov</g)).toEqual(['>20 Nov<', '>21 Nov<']);
  });

  it('leaves space for future hours only in a day that begins at midnight', () => {
    const hours = (...labels: string[]) =>
      labels.map((label) => ({ label: `2026-11-21T${label}+00:00`, clicks: 1, visitors: 1 }));
    const labelsOf = (rows: ReturnType<typeof hours>) =>
      plotOf(timeChart({ buckets: 'hourly', rows }).markup).match(/\d\d:\d\d(?=<\/text>)/g);
    expect(labelsOf(hours('00:00', '01:00'))).toEqual(['00:00', '06:00', '12:00', '18:00']);
    const sinceCreation = hours('20:00', '21:00');
    expect(labelsOf(sinceCreation)).toEqual(['22:00', '04:00', '10:00', '16:00']);
    expect(chartDrawing({ buckets: 'hourly', rows: sinceCreation })).toMatchObject({ first: 22 });
  });

  it('shows numbers on its columns if there is enough space', () => {
    expect(plotOf(timeChart({ buckets: 'daily', rows: rows(8) }).markup)).toContain('"value"');
    expect(plotOf(timeChart({ buckets: 'daily', rows: rows(9) }).markup)).not.toContain('"value"');
  });

  it('labels at most five of its columns', () => {
    for (const count of [1, 5, 7, 30, 92]) {
      const plot = plotOf(timeChart({ buckets: 'daily', rows: rows(count, 0) }).markup);
      const labels = plot.match(/<text/g) ?? [];
      expect(labels.length).toBeGreaterThanOrEqual(1);
      expect(labels.length).toBeLessThanOrEqual(5);
    }
  });

  it('labels quarters of a day, even of a day that has just begun', () => {
    const hours = [{ label: '2026-11-21T00:00+00:00', clicks: 1, visitors: 1 }];
    const plot = plotOf(timeChart({ buckets: 'hourly', rows: hours }).markup);
    expect(plot.match(/>\d\d:\d\d</g)).toEqual(['>00:00<', '>06:00<', '>12:00<', '>18:00<']);
  });

  it('is right-aligned for few days, and left-aligned for the hours of a day', () => {
    const place = (markup: string) => Number(/<rect\s+x="([\d.]+)%"/.exec(markup)?.[1]);
    expect(place(timeChart({ buckets: 'daily', rows: rows(1) }).markup)).toBeGreaterThan(80);
    const hours = rows(1).map((row) => ({ ...row, label: `${row.label}T00:00+00:00` }));
    expect(place(timeChart({ buckets: 'hourly', rows: hours }).markup)).toBeLessThan(1);
  });

  it('never extends beyond its drawing area', () => {
    const plot = plotOf(timeChart({ buckets: 'weekly', rows: rows(50, 7) }).markup);
    expect(plot.match(/<rect class="hit"/g)).toHaveLength(50);
    const rects = [...plot.matchAll(/<rect\s+x="([\d.]+)%"\s+y="([\d.]+)%"\s+width="([\d.]+)%"/g)];
    expect(rects).toHaveLength(50);
    for (const [, x, y, width] of rects) {
      expect(Number(x) + Number(width)).toBeLessThanOrEqual(100);
      expect(Number(y)).toBeGreaterThanOrEqual(0);
    }
  });
});

import { CountsSum } from './counts-sum';
import { type ImportedCounts, TOTAL_ALONE } from './imported-counts';

const about = { linkId: 'a', ownerId: 'o', importId: 'i', source: 'csv' };
const HOUR = 3_600_000;
const at = (text: string): number => Date.parse(text);

function daily(more: Partial<ImportedCounts> = {}): ImportedCounts {
  return {
    ...about,
    source: 'spoo_api',
    clicks: 12,
    granularity: 'day',
    timezone: 'UTC',
    from: at('2024-01-30T05:00Z'),
    to: at('2024-02-02T10:00Z'),
    units: {
      starts: [at('2024-01-30'), at('2024-01-31'), at('2024-02-02')],
      clicks: [3, 4, 5],
    },
    by: {
      country: new Map([
        ['France', 5],
        ['Chad', 5],
        ['Peru', 2],
      ]),
    },
    ...more,
  };
}

function sumOf(...counts: ImportedCounts[]): CountsSum {
  const sum = new CountsSum();
  for (const one of counts) sum.add(one);
  return sum;
}

const ALL = { start: 0, end: at('2030-01-01') };
const units = (found: ReturnType<CountsSum['within']>) =>
  found.units.map(({ start, clicks }) => [new Date(start).toISOString().slice(0, 13), clicks]);

describe('imported click counts', () => {
  it("contain a link's values, the most frequent first", () => {
    const found = sumOf(daily()).within(ALL, 1000);
    expect(found).toMatchObject({
      source: 'spoo_api',
      clicks: 12,
      granularity: 'day',
      isCut: false,
    });
    expect(units(found)).toEqual([
      ['2024-01-30T00', 3],
      ['2024-01-31T00', 4],
      ['2024-02-02T00', 5],
    ]);
    expect(found.by.country).toEqual([
      ['Chad', 5],
      ['France', 5],
      ['Peru', 2],
    ]);
  });

  it.each([
    ['2024-01-30T05:00Z', '2024-02-02T10:00Z', 12, true],
    ['2024-01-30T05:01Z', '2024-02-02T10:00Z', 9, false],
    ['2024-01-30T05:00Z', '2024-02-02T09:59Z', 7, false],
    ['2024-01-31T00:00Z', '2024-01-31T23:59:59.999Z', 4, false],
    ['2024-01-31T00:00Z', '2024-01-31T23:59Z', 0, false],
    ['2025-01-01T00:00Z', '2026-01-01T00:00Z', 0, false],
  ])(
    'from %s to %s include the periods that are entirely inside',
    (start, end, clicks, isWhole) => {
      const found = sumOf(daily()).within({ start: at(start), end: at(end) }, 1000);
      expect([found.clicks, found.by.country !== undefined]).toEqual([clicks, isWhole]);
    },
  );

  it('of several links have the longest period, and no series if one has only a total', () => {
    const monthly = daily({
      source: 'bitly_csv',
      granularity: 'month',
      clicks: 1,
      units: { starts: [at('2024-01-01')], clicks: [1] },
      from: at('2024-01-01'),
      by: {},
    });
    const found = sumOf(daily(), monthly).within(ALL, 1000);
    expect(found).toMatchObject({ source: null, clicks: 13, granularity: 'month', isCut: true });
    expect(units(found)).toEqual([
      ['2024-01-01T00', 8],
      ['2024-02-01T00', 5],
    ]);

    const sum = sumOf(daily(), monthly, { ...about, ...TOTAL_ALONE, clicks: 100 });
    sum.addTotal('csv', 7);
    const range = { start: at('2025-01-01'), end: at('2025-01-02') };
    expect(sum.within(range, 1000)).toMatchObject({
      clicks: 120,
      granularity: 'total',
      units: [],
      by: {},
    });
  });

  it('are split by their own time zone, and not divided among days of another zone', () => {
    const timezone = 'Europe/Berlin';
    const hours = [
      at('2024-03-30T22:00Z'),
      at('2024-03-30T23:00Z'),
      at('2024-03-31T21:00Z'),
      at('2024-03-31T22:00Z'),
    ];
    const berlin = daily({
      granularity: 'hour',
      timezone,
      clicks: 10,
      from: null,
      to: null,
      by: {},
      units: { starts: hours, clicks: [1, 2, 3, 4] },
    });
    const byHour = sumOf(berlin).within({ start: hours[1]!, end: hours[2]! + HOUR - 1 }, 1000);
    expect(byHour).toMatchObject({ clicks: 5, timezone });
    const utc = daily({
      from: null,
      to: null,
      by: {},
      clicks: 6,
      units: { starts: [at('2024-03-31')], clicks: [6] },
    });
    const mixed = sumOf(berlin, utc).within(ALL, 1000);
    expect(mixed).toMatchObject({ clicks: 16, timezone: 'UTC', granularity: 'day' });
    expect(units(mixed)).toEqual([
      ['2024-03-29T23', 1],
      ['2024-03-30T23', 5],
      ['2024-03-31T00', 6],
      ['2024-03-31T22', 4],
    ]);
  });

  it('are listed in longer periods above the maximum, with a limited number of values', () => {
    const starts = Array.from({ length: 24_000 }, (_, i) => at('2020-01-01') + i * HOUR);
    const by = { referrer: new Map(Array.from({ length: 50 }, (_, i) => [`r${i}`, 480])) };
    const clicks = starts.map(() => 1);
    const series = daily({
      granularity: 'hour',
      clicks: 24_000,
      from: null,
      to: null,
      units: { starts, clicks },
      by,
    });
    const found = sumOf(series).within(ALL, 20);
    expect([found.granularity, found.units.length, found.clicks]).toEqual(['day', 1000, 24_000]);
    expect([found.by.referrer?.length, found.isCut]).toEqual([20, true]);
    expect(sumOf(series).within(ALL, 50).isCut).toBe(false);
  });

  it('are empty without links', () => {
    expect([new CountsSum().isEmpty, sumOf(daily()).isEmpty]).toEqual([true, false]);
  });
});

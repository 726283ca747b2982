import fc from 'fast-check';
import { RETIRED_ZONES } from './time-zone';
import { bucketNumbers, strategyFor, timeBuckets } from './time-buckets';

const DAY = 86_400_000;
const utc = (text: string): number => Date.parse(text);

function days(timezone: string, start: string, end: string): string[] {
  const { starts, labels } = timeBuckets({ strategy: 'daily', timezone }, utc(start), utc(end));
  return labels.map((label, i) => `${label} ${new Date(starts[i]!).toISOString()}`);
}

describe('strategyFor', () => {
  it('chooses days for up to 31 days, weeks for up to 180, and months for longer ranges', () => {
    expect(strategyFor(0, 0)).toBe('daily');
    expect(strategyFor(0, 32 * DAY - 1)).toBe('daily');
    expect(strategyFor(0, 32 * DAY)).toBe('weekly');
    expect(strategyFor(0, 181 * DAY - 1)).toBe('weekly');
    expect(strategyFor(0, 181 * DAY)).toBe('monthly');
  });
});

describe('timeBuckets', () => {
  it('begins days at local midnight before and after a clock change in Berlin', () => {
    expect(days('Europe/Berlin', '2026-03-28T12:00Z', '2026-03-30T12:00Z')).toEqual([
      '2026-03-28 2026-03-27T23:00:00.000Z',
      '2026-03-29 2026-03-28T23:00:00.000Z',
      '2026-03-30 2026-03-29T22:00:00.000Z',
    ]);
    expect(days('Europe/Berlin', '2026-10-25T12:00Z', '2026-10-26T12:00Z')).toEqual([
      '2026-10-25 2026-10-24T22:00:00.000Z',
      '2026-10-26 2026-10-25T23:00:00.000Z',
    ]);
  });

  it('begins days at local midnight before and after a clock change in New York', () => {
    expect(days('America/New_York', '2026-03-08T12:00Z', '2026-03-09T12:00Z')).toEqual([
      '2026-03-08 2026-03-08T05:00:00.000Z',
      '2026-03-09 2026-03-09T04:00:00.000Z',
    ]);
    expect(days('America/New_York', '2026-11-01T12:00Z', '2026-11-02T12:00Z')).toEqual([
      '2026-11-01 2026-11-01T04:00:00.000Z',
      '2026-11-02 2026-11-02T05:00:00.000Z',
    ]);
  });

  it('supports zones with half and quarter hours', () => {
    expect(days('Asia/Kolkata', '2026-01-01T18:29:59.999Z', '2026-01-01T18:30:00Z')).toEqual([
      '2026-01-01 2025-12-31T18:30:00.000Z',
      '2026-01-02 2026-01-01T18:30:00.000Z',
    ]);
    expect(days('Asia/Kathmandu', '2026-01-01T18:15:00Z', '2026-01-01T18:15:00Z')).toEqual([
      '2026-01-02 2026-01-01T18:15:00.000Z',
    ]);
  });

  it('begins a day without midnight at its first moment', () => {
    expect(days('Africa/Cairo', '2026-04-24T12:00Z', '2026-04-24T12:00Z')).toEqual([
      '2026-04-24 2026-04-23T22:00:00.000Z',
    ]);
  });

  it('begins a day with two midnights at the first one', () => {
    expect(days('America/Havana', '2026-11-01T12:00Z', '2026-11-02T12:00Z')).toEqual([
      '2026-11-01 2026-11-01T04:00:00.000Z',
      '2026-11-02 2026-11-02T05:00:00.000Z',
    ]);
  });

  it('begins weeks on Monday in every zone, including zones with retired names', () => {
    const zones = [...Intl.supportedValuesOf('timeZone'), ...RETIRED_ZONES.keys()];
    for (const timezone of zones) {
      const format = new Intl.DateTimeFormat('en-CA', { timeZone: timezone, dateStyle: 'short' });
      const rule = { strategy: 'weekly', timezone } as const;
      const { starts, labels } = timeBuckets(rule, utc('2026-03-09'), utc('2026-04-27'));
      starts.forEach((at, i) => {
        expect([timezone, format.format(at)]).toEqual([timezone, labels[i]]);
        expect([timezone, format.format(at - 1)]).not.toEqual([timezone, labels[i]]);
      });
    }
  });

  it('labels weeks by their Monday and months by year and month', () => {
    const weekly = timeBuckets(
      { strategy: 'weekly', timezone: 'UTC' },
      utc('2026-01-01T00:00Z'),
      utc('2026-01-12T00:00Z'),
    );
    expect(weekly.labels).toEqual(['2025-12-29', '2026-01-05', '2026-01-12']);
    const monthly = timeBuckets(
      { strategy: 'monthly', timezone: 'America/New_York' },
      utc('2025-12-01T04:59:59Z'),
      utc('2026-02-01T05:00Z'),
    );
    expect(monthly.labels).toEqual(['2025-11', '2025-12', '2026-01', '2026-02']);
  });

  it('labels hours by local time, including both repeated hours', () => {
    const hours = timeBuckets(
      { strategy: 'hourly', timezone: 'Europe/Berlin' },
      utc('2026-10-25T00:10Z'),
      utc('2026-10-25T02:00Z'),
    );
    expect(hours.labels).toEqual([
      '2026-10-25T02:00+02:00',
      '2026-10-25T02:00+01:00',
      '2026-10-25T03:00+01:00',
    ]);
    expect(new Date(hours.starts[0] ?? 0).toISOString()).toBe('2026-10-25T00:00:00.000Z');
    const half = timeBuckets(
      { strategy: 'hourly', timezone: 'Asia/Kolkata' },
      utc('2026-11-20T18:30Z'),
      utc('2026-11-20T19:29Z'),
    );
    expect(half.labels).toEqual(['2026-11-21T00:00+05:30']);
  });

  it.each([
    ['Europe/Berlin', '2026-03-29', 23],
    ['Europe/Berlin', '2026-10-25', 25],
    ['Australia/Lord_Howe', '2026-10-04', 24],
    ['Australia/Lord_Howe', '2026-04-05', 25],
    ['Asia/Kathmandu', '2026-04-05', 24],
  ])(
    'splits a day in %s, %s, into %d hours, each with a different label',
    (timezone, day, count) => {
      const [start = 0, end = 0] = timeBuckets(
        { strategy: 'daily', timezone },
        utc(`${day}T12:00Z`),
        utc(`${day}T12:00Z`) + DAY,
      ).starts;
      const { starts, labels } = timeBuckets({ strategy: 'hourly', timezone }, start, end - 1);
      expect([starts[0], labels.length]).toEqual([start, count]);
      expect(new Set(labels).size).toBe(count);
      expect(labels.map((label) => utc(label))).toEqual([...starts]);
    },
  );

  it('begins an hour when the clocks change within an hour', () => {
    const hourly = { strategy: 'hourly', timezone: 'America/St_Johns' } as const;
    const back = timeBuckets(hourly, utc('1998-10-25T02:00Z'), utc('1998-10-25T04:00Z'));
    expect(back.labels).toEqual([
      ...['1998-10-24T23:00-02:30', '1998-10-25T00:00-02:30'],
      ...['1998-10-24T23:01-03:30', '1998-10-25T00:00-03:30'],
    ]);
    const forward = timeBuckets(hourly, utc('1998-04-05T03:00Z'), utc('1998-04-05T05:00Z'));
    expect(forward.labels).toEqual([
      ...['1998-04-04T23:00-03:30', '1998-04-05T00:00-03:30'],
      ...['1998-04-05T01:01-02:30', '1998-04-05T02:00-02:30'],
    ]);
  });

  it('assigns each moment in several years to the hour of its local time', () => {
    const zone = fc.constantFrom(
      'UTC',
      'Europe/Berlin',
      'Asia/Kolkata',
      'Australia/Lord_Howe',
      'America/St_Johns',
      'Africa/Monrovia',
    );
    const instant = fc.integer({ min: utc('1973-01-01'), max: utc('2030-01-01') });
    fc.assert(
      fc.property(zone, instant, fc.nat(20 * 3_600_000), (timezone, start, more) => {
        const { starts, labels } = timeBuckets(
          { strategy: 'hourly', timezone },
          start,
          start + more,
        );
        const times = Float64Array.from([start, start + more]);
        const format = new Intl.DateTimeFormat('sv', {
          timeZone: timezone,
          dateStyle: 'short',
          timeStyle: 'short',
        });
        const numbers = bucketNumbers(times, starts);
        expect([numbers[0], numbers[1]]).toEqual([0, starts.length - 1]);
        numbers.forEach((bucket, i) => {
          const label = labels[bucket] ?? '';
          expect(label.slice(0, 13)).toBe(format.format(times[i]).slice(0, 13).replace(' ', 'T'));
        });
      }),
      { numRuns: 300 },
    );
  });

  it('assigns each moment in several years to the day of its local calendar', () => {
    const zone = fc.constantFrom(
      'UTC',
      'Europe/Berlin',
      'America/New_York',
      'Asia/Kolkata',
      'Australia/Lord_Howe',
      'America/Havana',
      'Pacific/Apia',
      'Africa/Cairo',
      'America/Sao_Paulo',
    );
    const instant = fc.integer({ min: utc('1971-01-01'), max: utc('2030-01-01') });
    fc.assert(
      fc.property(zone, instant, fc.nat(40 * DAY), (timezone, start, more) => {
        const { starts, labels } = timeBuckets(
          { strategy: 'daily', timezone },
          start,
          start + more,
        );
        const times = Float64Array.from([start, start + more / 2, start + more]);
        const format = new Intl.DateTimeFormat('en-CA', { timeZone: timezone, dateStyle: 'short' });
        bucketNumbers(times, starts).forEach((bucket, i) => {
          expect(labels[bucket]).toBe(format.format(times[i]));
        });
      }),
      { numRuns: 300 },
    );
  });
});

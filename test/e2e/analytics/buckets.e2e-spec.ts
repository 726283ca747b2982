import { aClick } from '../../support/shared/click.factory';
import { type Answer, DAY } from '../../support/statistics/hand-counted';
import { aSession, type Session, StatisticsWorld } from '../../support/statistics/statistics-world';

const HOUR = 3_600_000;
/** A day on which clocks in Berlin are set back: it has 25 hours and includes two o'clock twice. */
const START = Date.parse('2026-10-24T22:00:00Z');
const DAY_OF_25_HOURS = {
  start_date: new Date(START).toISOString(),
  end_date: new Date(START + 25 * HOUR - 1).toISOString(),
  timezone: 'Europe/Berlin',
};

let world: StatisticsWorld;
let user: Session;
let id: string;
beforeAll(async () => {
  world = await StatisticsWorld.open();
  user = aSession();
  id = await world.link({ owner: user.id, alias: 'buckets', private_stats: false });
  const clicks = [0, 2, 3, 3, 24].map((hour, i) =>
    aClick({
      at: START + hour * HOUR + 60_000,
      visitor: (i + 1).toString(16).padStart(24, '0'),
      city: `City ${i}`,
    }),
  );
  await world.record(id, clicks);
});
afterAll(() => world.close());

const endpoints = {
  A: () => ['/api/v1/stats', { scope: 'all' }] as const,
  L: () => [`/api/v1/stats/links/${id}`, {}] as const,
  X: () => ['/api/v1/export', { scope: 'all', format: 'json' }] as const,
  XL: () => [`/api/v1/export/links/${id}`, { format: 'json' }] as const,
  P: () => ['/api/v1/public/stats/buckets', {}] as const,
};

async function ask(of: () => readonly [string, object], query: object) {
  const [path, own] = of();
  const { status, body } = await world.get(path, { ...own, ...query }, user);
  const report = body as Answer & { stats?: Answer; field?: string; error?: string };
  return { status, body: report, report: report.stats ?? report };
}

describe('The time steps of statistics', () => {
  it.each(Object.entries(endpoints))('for %s follow the `bucket` parameter', async (_, of) => {
    const cuts = { hour: 'hourly', day: 'daily', week: 'weekly', month: 'monthly', auto: 'daily' };
    for (const [bucket, strategy] of Object.entries(cuts)) {
      const { report } = await ask(of, { ...DAY_OF_25_HOURS, bucket });
      expect(report.time_bucket_info?.strategy).toBe(strategy);
      const counts = report.metrics['clicks_by_time']?.map(({ clicks }) => clicks);
      expect(counts).toHaveLength(bucket === 'hour' ? 25 : 1);
      expect(counts?.reduce<number>((sum, count) => sum + Number(count), 0)).toBe(5);
    }
  });

  it('distinguish repeated hours by their offset', async () => {
    const { report } = await ask(endpoints.L, { ...DAY_OF_25_HOURS, bucket: 'hour' });
    expect(report.metrics['clicks_by_time']?.slice(1, 5)).toMatchObject([
      { time: '2026-10-25T01:00+02:00', clicks: 0 },
      { time: '2026-10-25T02:00+02:00', clicks: 1 },
      { time: '2026-10-25T02:00+01:00', clicks: 2 },
      { time: '2026-10-25T03:00+01:00', clicks: 0 },
    ]);
    expect(report.time_bucket_info).toEqual({
      strategy: 'hourly',
      mongo_format: '%Y-%m-%dT%H:%M%z',
      display_format: '%Y-%m-%dT%H:%M%z',
      timezone: 'Europe/Berlin',
      interval_minutes: 60,
    });
  });

  it('begin hours at local time in a zone with a half-hour offset', async () => {
    const query = { ...DAY_OF_25_HOURS, timezone: 'Asia/Kolkata', bucket: 'hour' };
    const { report } = await ask(endpoints.L, query);
    expect(report.metrics['clicks_by_time']?.[0]?.['time']).toBe('2026-10-25T03:00+05:30');
  });

  it('are days, weeks or months by default, depending on the range', async () => {
    const end = Date.parse('2026-10-26T00:00:00Z');
    for (const [days, strategy] of [
      [1, 'daily'],
      [60, 'weekly'],
      [200, 'monthly'],
    ] as const) {
      const range = {
        start_date: new Date(end - days * DAY).toISOString(),
        end_date: '2026-10-26',
      };
      const { report } = await ask(endpoints.A, range);
      expect(report.time_bucket_info?.strategy).toBe(strategy);
    }
  });

  it.each(Object.entries(endpoints))('for %s have one of five values', async (_, of) => {
    for (const bucket of ['hourly', '', 'HOUR', 'year', '0']) {
      const { status, body } = await ask(of, { bucket });
      expect([status, body.field]).toEqual([422, 'bucket']);
    }
  });

  it.each(Object.entries(endpoints))('for %s are limited to a thousand', async (_, of) => {
    const end = Date.parse('2026-10-26T00:00:00Z');
    const over = (ms: number) => ({
      start_date: new Date(end - ms).toISOString(),
      end_date: '2026-10-26',
    });
    for (const [bucket, ms] of [
      ['hour', HOUR],
      ['day', DAY],
      ['week', 7 * DAY],
    ] as const) {
      const { status, body } = await ask(of, { ...over(1000 * ms + 1), bucket });
      expect([status, body.field]).toEqual([400, 'bucket']);
      expect(body.error).toContain('1000');
    }
    const { status, report } = await ask(of, { ...over(1000 * HOUR), bucket: 'hour' });
    expect([status, report.metrics['clicks_by_time']?.length]).toEqual([200, 1001]);
    expect((await ask(of, { start_date: '0', bucket: 'month' })).status).toBe(200);
    expect((await ask(of, { start_date: '0' })).status).toBe(200);
  });
});

describe('The limit of rows', () => {
  const { A, L, X } = endpoints;
  const query = { ...DAY_OF_25_HOURS, group_by: 'time,city', bucket: 'hour' };

  it.each(Object.entries({ A, L }))(
    'for %s shortens lists, but does not affect totals, percentages or the time list',
    async (_, of) => {
      const { report } = await ask(of, { ...query, limit: 2 });
      expect(report.summary.total_clicks).toBe(5);
      expect(report.metrics['clicks_by_time']).toHaveLength(25);
      expect(report.metrics['clicks_by_city']).toEqual([
        { city: 'City 0', clicks: 1, clicks_percentage: 20 },
        { city: 'City 1', clicks: 1, clicks_percentage: 20 },
      ]);
      // A different limit has a different cache key.
      const all = await ask(of, { ...query, limit: 1000 });
      expect(all.report.metrics['clicks_by_city']).toHaveLength(5);
    },
  );

  it.each(Object.entries({ A, L }))('for %s is between 1 and 1000', async (_, of) => {
    for (const limit of ['0', '1001', '-1', '1.5', 'ten', '']) {
      const { status, body } = await ask(of, { ...query, limit });
      expect([status, body.field]).toEqual([422, 'limit']);
    }
  });

  it('does not apply to files', async () => {
    const { report } = await ask(X, { ...query, limit: 2 });
    expect(report.metrics['clicks_by_city']).toHaveLength(5);
  });
});

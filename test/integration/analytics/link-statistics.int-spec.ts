import { aClick } from '../../support/shared/click.factory';
import { type Answer, DAY, NOON, RANGE, clicks } from '../../support/statistics/hand-counted';
import { aSession, type Session, StatisticsWorld } from '../../support/statistics/statistics-world';

let world: StatisticsWorld;
let user: Session;
beforeAll(async () => {
  world = await StatisticsWorld.open();
});
afterAll(() => world.close());
beforeEach(() => {
  user = aSession();
});

async function ofLink(id: string, query: object): Promise<Answer> {
  const answer = await world.get(`/api/v1/stats/links/${id}`, { ...RANGE, ...query }, user);
  expect(answer.status).toBe(200);
  return answer.body as Answer;
}

describe('Statistics of a link', () => {
  it('can be listed by every dimension', async () => {
    const id = await world.link({ owner: user.id });
    await world.record(id, clicks);
    const { metrics } = await ofLink(id, {
      metrics: 'clicks',
      group_by: 'browser,os,device,country,city,referrer,utm_source,utm_medium,utm_campaign',
    });
    const shown = Object.fromEntries(
      Object.entries(metrics).map(([key, points]) => [
        key,
        points.map((point) => Object.values(point).slice(0, 2).join(' ')),
      ]),
    );
    expect(shown).toEqual({
      clicks_by_browser: ['Chrome 3', 'Unknown 1'],
      clicks_by_os: ['Windows 2', 'Linux 1', 'Unknown 1'],
      clicks_by_device: ['desktop 2', 'mobile 1', 'unknown 1'],
      clicks_by_country: ['Germany 2', 'France 1', 'Unknown 1'],
      clicks_by_city: ['Berlin 1', 'Bonn 1', 'Paris 1', 'Unknown 1'],
      clicks_by_referrer: ['Direct 3', 'https://a.example 1'],
      clicks_by_utm_source: ['(none) 3', 'mail 1'],
      clicks_by_utm_medium: ['(none) 4'],
      clicks_by_utm_campaign: ['(none) 4'],
    });
  });

  it('can be filtered by parameters and by filters, which are combined and returned', async () => {
    const id = await world.link({ owner: user.id });
    await world.record(id, clicks);
    const filtered = async (query: object): Promise<[number, object]> => {
      const { summary, filters } = await ofLink(id, query);
      return [summary.total_clicks, filters];
    };
    expect(await filtered({ os: 'Windows, Linux,,Linux' })).toEqual([
      3,
      { os: ['Windows', 'Linux'] },
    ]);
    expect(await filtered({ filters: '{"os":["Linux"],"browser":[]}', os: 'Windows' })).toEqual([
      3,
      { os: ['Linux', 'Windows'] },
    ]);
    expect(await filtered({ country: 'DE' })).toEqual([2, { country: ['DE'] }]);
    expect(await filtered({ country: 'Germany', city: 'Bonn' })).toEqual([
      1,
      { country: ['Germany'], city: ['Bonn'] },
    ]);
    expect(await filtered({ browser: 'chrome' })).toEqual([0, { browser: ['chrome'] }]);
    expect(await filtered({ utm_source: '(none)' })).toEqual([3, { utm_source: ['(none)'] }]);
    expect(await filtered({ referrer: 'Direct' })).toEqual([3, { referrer: ['Direct'] }]);
    expect(await filtered({ device: 'unknown' })).toEqual([1, { device: ['unknown'] }]);
    const ignored = '{"short_code":["x"],"url_id":["x"],"__proto__":["x"]}';
    expect(await filtered({ filters: ignored, planet: 'x' })).toEqual([4, {}]);
    const operators = '{"browser":["$ne","{\\"$gt\\":\\"\\"}"]}';
    expect((await filtered({ filters: operators }))[0]).toBe(0);
  });

  it('contain each requested metric and dimension once', async () => {
    const id = await world.link({ owner: user.id });
    await world.record(id, clicks);
    const query = { group_by: ' os ,time,,os', metrics: 'unique_clicks' };
    const { metrics, ...rest } = await ofLink(id, query);
    expect(Object.keys(metrics)).toEqual(['unique_clicks_by_os', 'unique_clicks_by_time']);
    expect(rest).toMatchObject({ group_by: ['os', 'time'] });
    const plain = await ofLink(id, { group_by: ',', metrics: '' });
    expect(Object.keys(plain.metrics)).toEqual(['clicks_by_time', 'unique_clicks_by_time']);
    expect(await ofLink(id, { group_by: 'os' })).not.toHaveProperty('time_bucket_info');
  });

  it('use days, weeks and months, depending on the length of the range', async () => {
    const id = await world.link({ owner: user.id });
    const labels = async (start_date: string, end_date: string) => {
      const { metrics, time_bucket_info: info } = await ofLink(id, { start_date, end_date });
      const points = metrics.clicks_by_time!;
      return [info!.strategy, points.length, points[0]!.time, points.at(-1)!.time];
    };
    expect(await labels('2026-01-01', '2026-02-01')).toEqual([
      'daily',
      32,
      '2026-01-01',
      '2026-02-01',
    ]);
    expect(await labels('2026-01-01', '2026-02-02')).toEqual([
      'weekly',
      6,
      '2025-12-29',
      '2026-02-02',
    ]);
    expect(await labels('2025-01-01', '2025-07-01')).toEqual(['monthly', 7, '2025-01', '2025-07']);
    expect((await labels('1950-01-01', '2026-01-01')).slice(0, 3)).toEqual([
      'monthly',
      673,
      '1970-01',
    ]);
  });

  it('return a retired time zone under its current name', async () => {
    const id = await world.link({ owner: user.id });
    const answer = await ofLink(id, { timezone: 'Asia/Calcutta' });
    expect(answer).toMatchObject({
      timezone: 'Asia/Kolkata',
      time_range: { start_date: '2026-10-01T05:30:00.000+05:30' },
      time_bucket_info: { timezone: 'Asia/Kolkata' },
    });
  });

  it('begin seven days before the end, which is at the latest now', async () => {
    const id = await world.link({ owner: user.id });
    const before = Date.now();
    const { time_range: range } = await ofLink(id, {
      start_date: undefined,
      end_date: '4000000000',
    });
    const [start, end] = [Date.parse(range.start_date), Date.parse(range.end_date)];
    expect(end).toBeLessThanOrEqual(Date.now());
    expect(end).toBeGreaterThanOrEqual(before);
    expect(end - start).toBe(7 * DAY);
  });

  it('limit lists to 1000 rows, with percentages of all rows', async () => {
    const id = await world.link({ owner: user.id });
    await world.record(
      id,
      Array.from({ length: 1250 }, (_, i) => aClick({ at: NOON + i, city: `City ${i}` })),
    );
    const { metrics } = await ofLink(id, { group_by: 'city' });
    expect(metrics.clicks_by_city).toHaveLength(1000);
    expect(metrics.clicks_by_city![0]).toEqual({
      city: 'City 0',
      clicks: 1,
      clicks_percentage: 0.08,
    });
    const file = await world.get(
      `/api/v1/export/links/${id}`,
      { ...RANGE, group_by: 'city', format: 'json' },
      user,
    );
    expect((file.body as Answer).metrics.clicks_by_city).toHaveLength(1250);
  });
});

import { aClick } from '../../support/shared/click.factory';
import { aSession, type Session, StatisticsWorld } from '../../support/statistics/statistics-world';

const DAY = 86_400_000;
const NOON = Date.UTC(2026, 9, 20, 12);
const RANGE = { start_date: '2026-10-20', end_date: '2026-10-21T23:59:59Z' };
const ann = 'a'.repeat(24);
const bob = 'b'.repeat(24);

let world: StatisticsWorld;
let user: Session;
beforeAll(async () => {
  world = await StatisticsWorld.open();
});
afterAll(() => world.close());
beforeEach(() => {
  user = aSession();
});

const fourClicks = [
  aClick({ at: NOON, visitor: ann, redirectMs: 1, slot: false }),
  aClick({ at: NOON + 1000, visitor: ann, redirectMs: 2, browser: 'Firefox', os: 'Linux' }),
  aClick({ at: NOON + 2000, visitor: bob, redirectMs: 2, country: null, countryCode: null }),
  aClick({ at: NOON + DAY, visitor: ann, redirectMs: 2, device: 'mobile', city: 'Bonn' }),
];

describe('GET /api/v1/stats/links/{url_id}', () => {
  it('returns all statistics of a link', async () => {
    const id = await world.link({ owner: user.id, alias: 'figures' });
    await world.record(id, fourClicks.slice(0, 3));
    await world.record(id, fourClicks.slice(3));
    const query = { ...RANGE, group_by: 'time, browser', timezone: 'Europe/Berlin' };
    const { status, body } = await world.get(`/api/v1/stats/links/${id}`, query, user);
    expect(status).toBe(200);
    expect(body).toEqual({
      scope: 'all',
      filters: {},
      group_by: ['time', 'browser'],
      timezone: 'Europe/Berlin',
      time_range: {
        start_date: '2026-10-20T02:00:00.000+02:00',
        end_date: '2026-10-22T01:59:59.000+02:00',
      },
      summary: {
        total_clicks: 4,
        unique_clicks: 2,
        first_click: '2026-10-20T12:00:00.000Z',
        last_click: '2026-10-21T12:00:00.000Z',
        avg_redirection_time: 1.75,
      },
      metrics: {
        clicks_by_time: [
          { time: '2026-10-20', clicks: 3, clicks_percentage: 75 },
          { time: '2026-10-21', clicks: 1, clicks_percentage: 25 },
          { time: '2026-10-22', clicks: 0, clicks_percentage: 0 },
        ],
        unique_clicks_by_time: [
          { time: '2026-10-20', unique_clicks: 2, unique_clicks_percentage: 66.67 },
          { time: '2026-10-21', unique_clicks: 1, unique_clicks_percentage: 33.33 },
          { time: '2026-10-22', unique_clicks: 0, unique_clicks_percentage: 0 },
        ],
        clicks_by_browser: [
          { browser: 'Chrome', clicks: 3, clicks_percentage: 75 },
          { browser: 'Firefox', clicks: 1, clicks_percentage: 25 },
        ],
        unique_clicks_by_browser: [
          { browser: 'Chrome', unique_clicks: 2, unique_clicks_percentage: 66.67 },
          { browser: 'Firefox', unique_clicks: 1, unique_clicks_percentage: 33.33 },
        ],
      },
      generated_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
      api_version: 'v1',
      time_bucket_info: {
        strategy: 'daily',
        mongo_format: '%Y-%m-%d',
        display_format: '%Y-%m-%d',
        timezone: 'Europe/Berlin',
        interval_minutes: 1440,
      },
      computed_metrics: {
        unique_click_rate: 50,
        repeat_click_rate: 50,
        average_clicks_per_visitor: 2,
      },
      url_id: id,
      alias: 'figures',
      domain: null,
    });
  });
});

describe('GET /api/v1/stats with merge=true', () => {
  it('merges known hosts and mobile browsers in lists and filters, and shows link titles', async () => {
    const id = await world.link({ owner: user.id, alias: 'merged-1', title: 'Autumn' });
    await world.link({ owner: user.id, alias: 'merged-2' });
    const from = (referrer: string, browser: string) => aClick({ at: NOON, referrer, browser });
    await world.record(id, [
      from('https://m.facebook.com', 'Mobile Safari'),
      from('https://facebook.com', 'Safari'),
      from('https://example.com', 'Safari'),
    ]);
    const query = { scope: 'all', ...RANGE, group_by: 'referrer,browser,short_code' };
    const read = async (more: object) =>
      (await world.get('/api/v1/stats', { ...query, ...more }, user)).body;
    const merged = await read({ merge: true, limit: 1 });
    expect(merged.metrics.clicks_by_referrer).toEqual([
      { referrer: 'https://facebook.com', clicks: 2, clicks_percentage: 66.67 },
    ]);
    expect(merged.metrics.clicks_by_browser).toEqual([
      { browser: 'Safari', clicks: 3, clicks_percentage: 100 },
    ]);
    expect(merged.titles).toEqual({ 'merged-1': 'Autumn' });
    const filtered = { referrer: 'https://facebook.com', browser: 'Safari' };
    expect((await read({ ...filtered, merge: true })).summary.total_clicks).toBe(2);
    expect((await read(filtered)).summary.total_clicks).toBe(1);
    expect((await read({})).metrics.clicks_by_referrer).toHaveLength(3);
  });
});

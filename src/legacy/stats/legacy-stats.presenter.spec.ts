import type { FigureRow } from '../../analytics/engine/statistics-engine';
import type { Lifetime } from '../../analytics/lifetime';
import type { Link } from '../../links/lookup/link';
import { presentLegacyStats } from './legacy-stats.presenter';

const CREATED = new Date('2026-11-18T22:00:05.600Z');
const NOW = Date.parse('2026-11-21T01:00:00Z');

function aLink(changes: Partial<Link> = {}): Link {
  return {
    id: '65f0c0ffee65f0c0ffee65f0',
    alias: 'abc',
    longUrl: 'https://example.com/',
    ownerId: null,
    generation: 'v1',
    createdAt: CREATED,
    updatedAt: null,
    status: 'ACTIVE',
    closedByLimit: false,
    passwordHash: null,
    maxClicks: null,
    usedSlots: 0,
    slotsFrom: null,
    expireAfter: null,
    blockBots: false,
    privateStats: false,
    totalClicks: 0,
    lastClick: null,
    ...changes,
  };
}

function rows(...list: [label: string, clicks: number, visitors: number][]): FigureRow[] {
  return list.map(([label, clicks, visitors]) => ({ label, clicks, visitors }));
}

const NOTHING: Lifetime = {
  totalClicks: 0,
  uniqueClicks: 0,
  firstClick: null,
  lastClick: null,
  averageRedirectMs: 0,
  days: rows(['2026-11-18', 0, 0], ['2026-11-19', 0, 0]),
  browsers: [],
  systems: [],
  countries: [],
  referrers: [],
  bots: [],
};

const SOME: Lifetime = {
  totalClicks: 10,
  uniqueClicks: 4,
  firstClick: CREATED.getTime(),
  lastClick: { at: NOW - 500, browser: 'Chrome', os: 'Windows', country: 'Germany' },
  averageRedirectMs: 3.299,
  days: rows(['2026-11-18', 7, 3], ['2026-11-19', 0, 0], ['2026-11-20', 3, 2]),
  browsers: rows(['Chrome', 10, 4]),
  systems: rows(['Windows', 6, 3], ['Unknown', 4, 1]),
  countries: rows(['Germany', 10, 4]),
  referrers: rows(['https://news.example.com', 8, 3], ['Direct', 2, 1]),
  bots: rows(['Mozilla/5.0 Googlebot', 1, 1], ['__proto__', 1, 1]),
};

describe('the v0 statistics object', () => {
  it('has every key of a link without clicks', () => {
    expect(presentLegacyStats(aLink(), NOTHING, NOW)).toEqual({
      _id: 'abc',
      short_code: 'abc',
      url: 'https://example.com/',
      'total-clicks': 0,
      total_unique_clicks: 0,
      'max-clicks': null,
      'expiration-time': null,
      password: null,
      'block-bots': false,
      expired: null,
      'creation-date': '2026-11-18',
      'creation-time': '22:00:05',
      'last-click': null,
      'last-click-browser': null,
      'last-click-os': null,
      'last-click-country': null,
      average_daily_clicks: 0,
      average_weekly_clicks: 0,
      average_monthly_clicks: 0,
      average_redirection_time: 0,
      counter: {},
      unique_counter: {},
      browser: {},
      os_name: {},
      country: {},
      referrer: {},
      bots: {},
      unique_browser: {},
      unique_os_name: {},
      unique_country: {},
      unique_referrer: {},
    });
  });

  it('counts days by the calendar and rounds averages to two decimals', () => {
    expect(presentLegacyStats(aLink(), SOME, NOW)).toMatchObject({
      'total-clicks': 10,
      total_unique_clicks: 4,
      average_daily_clicks: 2.5,
      average_weekly_clicks: 1.43,
      average_monthly_clicks: 0.33,
      average_redirection_time: 3.3,
      'last-click': '2026-11-21 00:59:59',
      'last-click-browser': 'Chrome',
      'last-click-os': 'Windows',
      'last-click-country': 'Germany',
    });
  });

  it('lists clicks and visitors by label, days without clicks included', () => {
    const stats = presentLegacyStats(aLink(), SOME, NOW);
    expect(stats.counter).toEqual({ '2026-11-18': 7, '2026-11-19': 0, '2026-11-20': 3 });
    expect(stats.unique_counter).toEqual({ '2026-11-18': 3, '2026-11-19': 0, '2026-11-20': 2 });
    expect(stats.os_name).toEqual({ Windows: 6, Unknown: 4 });
    expect(stats.unique_os_name).toEqual({ Windows: 3, Unknown: 1 });
  });

  it('writes dots in referrers and bots as underscores', () => {
    const stats = presentLegacyStats(aLink(), SOME, NOW);
    expect(stats.referrer).toEqual({ 'https://news_example_com': 8, Direct: 2 });
    expect(stats.unique_referrer).toEqual({ 'https://news_example_com': 3, Direct: 1 });
    expect(Object.entries(stats.bots)).toEqual([
      ['Mozilla/5_0 Googlebot', 1],
      ['__proto__', 1],
    ]);
  });

  it('hides the password, and tells limit and expiry', () => {
    const link = aLink({
      passwordHash: '$2b$…',
      maxClicks: 5,
      usedSlots: 4,
      blockBots: true,
      expireAfter: new Date('2027-01-02T03:04:05Z'),
    });
    expect(presentLegacyStats(link, NOTHING, NOW)).toMatchObject({
      password: '********',
      'max-clicks': '5',
      'block-bots': true,
      'expiration-time': '2027-01-02 03:04:05',
      expired: false,
    });
  });

  it.each([
    ['the limit is reached', { maxClicks: 5, usedSlots: 5 }],
    ['the expiry is reached', { expireAfter: new Date(NOW) }],
  ])('is expired when %s', (_, changes) => {
    expect(presentLegacyStats(aLink(changes), NOTHING, NOW).expired).toBe(true);
  });
});

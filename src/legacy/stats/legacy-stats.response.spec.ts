import type { ResultList } from '../../analytics/engine/statistics-engine';
import type { LinkStatistics } from '../../analytics/link-statistics.service';
import { aLinkRecord } from '../../../test/support/shared/stored-link';
import type { Link } from '../../stores/links/link';
import { toLink } from '../../stores/links/link.schema';
import {
  LEGACY_DIMENSIONS,
  type LegacyDimension,
  toLegacyStatsResponse,
} from './legacy-stats.response';

const CREATED = new Date('2026-11-18T22:00:05.600Z');
const NOW = Date.parse('2026-11-21T01:00:00Z');

const aLink = (changes: Partial<Link> = {}): Link => ({
  ...toLink(aLinkRecord({ alias: 'abc', created_at: CREATED })),
  ...changes,
});

function rows(...list: [label: string, clicks: number, visitors: number][]): ResultList {
  return {
    rows: list.map(([label, clicks, visitors]) => ({ label, clicks, visitors })),
    cut: { values: 0, clicks: 0, visitors: 0 },
  };
}

const NOTHING: LinkStatistics<LegacyDimension> = {
  summary: {
    clicks: 0,
    visitors: 0,
    withoutVisitor: 0,
    first: null,
    last: null,
    redirectMs: 0,
    untimed: 0,
  },
  lists: {
    time: rows(['2026-11-18', 0, 0], ['2026-11-19', 0, 0]),
    browser: rows(),
    os: rows(),
    country: rows(),
    referrer: rows(),
    bot: rows(),
  },
};

const SOME: LinkStatistics<LegacyDimension> = {
  summary: {
    clicks: 10,
    visitors: 4,
    withoutVisitor: 0,
    first: CREATED.getTime(),
    last: { at: NOW - 500, browser: 'Chrome', os: 'Windows', country: 'Germany' },
    redirectMs: 26.392,
    untimed: 2,
  },
  lists: {
    time: rows(['2026-11-18', 7, 3], ['2026-11-19', 0, 0], ['2026-11-20', 3, 2]),
    browser: rows(['Chrome', 10, 4]),
    os: rows(['Windows', 6, 3], ['Unknown', 4, 1]),
    country: rows(['Germany', 10, 4]),
    referrer: rows(['https://news_example_com', 8, 3], ['Direct', 2, 1]),
    bot: rows(['Mozilla/5_0 Googlebot', 1, 1], ['__proto__', 1, 1]),
  },
};

describe('the v0 statistics object', () => {
  it('has the dimensions of its lists', () => {
    expect(LEGACY_DIMENSIONS.join(' ')).toBe('time browser os country referrer bot');
  });

  it('has every key even for a link without clicks', () => {
    expect(toLegacyStatsResponse(aLink(), NOTHING, NOW)).toEqual({
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

  it('counts calendar days and rounds averages to two decimals', () => {
    expect(toLegacyStatsResponse(aLink(), SOME, NOW)).toMatchObject({
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

  it('lists clicks and visitors by label, including days without clicks', () => {
    const stats = toLegacyStatsResponse(aLink(), SOME, NOW);
    expect(stats.counter).toEqual({ '2026-11-18': 7, '2026-11-19': 0, '2026-11-20': 3 });
    expect(stats.unique_counter).toEqual({ '2026-11-18': 3, '2026-11-19': 0, '2026-11-20': 2 });
    expect(stats.os_name).toEqual({ Windows: 6, Unknown: 4 });
    expect(stats.unique_os_name).toEqual({ Windows: 3, Unknown: 1 });
  });

  it('has a separate property for each label', () => {
    const stats = toLegacyStatsResponse(aLink(), SOME, NOW);
    expect(stats.referrer).toEqual({ 'https://news_example_com': 8, Direct: 2 });
    expect(stats.unique_referrer).toEqual({ 'https://news_example_com': 3, Direct: 1 });
    expect(Object.entries(stats.bots)).toEqual([
      ['Mozilla/5_0 Googlebot', 1],
      ['__proto__', 1],
    ]);
  });

  it('adds up omitted values as (other), including a value with that name', () => {
    const { rows: shown } = rows(['Direct', 5, 4], ['(other)', 3, 2]);
    const referrer = { rows: shown, cut: { values: 7, clicks: 20, visitors: 9 } };
    const lifetime = { ...SOME, lists: { ...SOME.lists, referrer } };
    const stats = toLegacyStatsResponse(aLink(), lifetime, NOW);
    expect(stats.referrer).toEqual({ Direct: 5, '(other)': 23 });
    expect(stats.unique_referrer).toEqual({ Direct: 4, '(other)': 11 });
    expect(stats.browser).toEqual({ Chrome: 10 });
  });

  it.each([
    ['INACTIVE', { status: 'INACTIVE' as const }],
    ['expired', { expireAfter: new Date(NOW) }],
  ])('does not reveal the destination of a link that is %s', (_, changes) => {
    expect(toLegacyStatsResponse(aLink(changes), SOME, NOW).url).toBe('');
    expect(toLegacyStatsResponse(aLink(), SOME, NOW).url).toBe('https://example.com/');
  });

  it('hides the password, and shows the limit and the expiry', () => {
    const link = aLink({
      passwordHash: '$2b$…',
      maxClicks: 5,
      usedClicks: 4,
      blockBots: true,
      expireAfter: new Date('2027-01-02T03:04:05Z'),
    });
    expect(toLegacyStatsResponse(link, NOTHING, NOW)).toMatchObject({
      password: '********',
      'max-clicks': '5',
      'block-bots': true,
      'expiration-time': '2027-01-02 03:04:05',
      expired: false,
    });
  });

  it.each([
    ['the limit is reached', { maxClicks: 5, usedClicks: 5 }],
    ['the expiry is reached', { expireAfter: new Date(NOW) }],
  ])('is expired when %s', (_, changes) => {
    expect(toLegacyStatsResponse(aLink(changes), NOTHING, NOW).expired).toBe(true);
  });
});

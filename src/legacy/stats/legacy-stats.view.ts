import type { Lifetime } from '../../analytics/lifetime';
import { grouped } from '../../pages/statistics/grouped';
import type { Fact, StatisticsView } from '../../pages/statistics/statistics-view';
import type { LegacyStats } from './legacy-stats';

/** What the statistics page shows: the v0 object, and the lists with their labels unchanged. */
export function viewOf(stats: LegacyStats, lifetime: Lifetime, shortUrl: string): StatisticsView {
  return {
    alias: stats.short_code,
    shortUrl,
    totals: [
      { name: 'Clicks', value: grouped(stats['total-clicks']) },
      { name: 'Visitors', value: grouped(stats.total_unique_clicks) },
      { name: 'Clicks a day', value: String(stats.average_daily_clicks) },
      { name: 'Redirect time', value: `${stats.average_redirection_time} ms` },
    ],
    facts: [...linkFacts(stats), ...lastClick(stats)],
    days: lifetime.totalClicks === 0 ? [] : lifetime.days,
    lists: [
      { title: 'Referrer', rows: lifetime.referrers },
      { title: 'Country', rows: lifetime.countries },
      { title: 'Browser', rows: lifetime.browsers },
      { title: 'System', rows: lifetime.systems },
      { title: 'Bot', rows: lifetime.bots },
    ],
  };
}

function linkFacts(stats: LegacyStats): Fact[] {
  return [
    { name: 'Leads to', value: stats.url },
    { name: 'Created', value: `${stats['creation-date']} ${stats['creation-time']} UTC` },
    { name: 'Expires', value: utc(stats['expiration-time']) },
    { name: 'Closes after', value: clicks(stats['max-clicks']) },
    { name: 'Password', value: stats.password === null ? 'none' : 'needed' },
    { name: 'Known bots', value: stats['block-bots'] ? 'turned away' : 'let through' },
  ];
}

function lastClick(stats: LegacyStats): Fact[] {
  if (stats['last-click'] === null) return [];
  const from = [stats['last-click-browser'], stats['last-click-os'], stats['last-click-country']];
  return [{ name: 'Last click', value: `${utc(stats['last-click'])}: ${from.join(', ')}` }];
}

function utc(time: string | null): string {
  return time === null ? 'never' : `${time} UTC`;
}

function clicks(limit: string | null): string {
  return limit === null ? 'any number of clicks' : `${limit} clicks`;
}

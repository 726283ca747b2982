import type { Breakdown, Figures } from '../../analytics/engine/figures';
import type { Fact, Row, StatisticsView } from '../../pages/statistics/statistics-view';
import type { LegacyStats } from './legacy-stats';

/** What the statistics page shows: the v0 object, and the lists with their labels unchanged. */
export function viewOf(stats: LegacyStats, figures: Figures, shortUrl: string): StatisticsView {
  const { time, referrer, country, browser, os, bot } = figures.breakdowns;
  return {
    alias: stats.short_code,
    shortUrl,
    totals: [
      { name: 'Clicks', value: String(stats['total-clicks']) },
      { name: 'Visitors', value: String(stats.total_unique_clicks) },
      { name: 'Clicks a day', value: String(stats.average_daily_clicks) },
      { name: 'Redirect time', value: `${stats.average_redirection_time} ms` },
    ],
    facts: [...linkFacts(stats), ...lastClick(stats)],
    days: figures.summary.clicks === 0 ? [] : rows(time),
    lists: [
      { title: 'Referrer', rows: rows(referrer) },
      { title: 'Country', rows: rows(country) },
      { title: 'Browser', rows: rows(browser) },
      { title: 'System', rows: rows(os) },
      { title: 'Bot', rows: rows(bot) },
    ],
  };
}

function rows(breakdown: Breakdown | undefined): Row[] {
  return (breakdown?.labels ?? []).map((label, i) => ({
    label,
    clicks: breakdown?.clicks[i] ?? 0,
    visitors: breakdown?.visitors[i] ?? 0,
  }));
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

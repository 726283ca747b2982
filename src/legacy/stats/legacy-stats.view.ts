import type { AllTimeStatistics } from '../../analytics/all-time-statistics.service';
import type { AllTimeDimension } from '../../analytics/dimensions';
import { EXPORT_FORMATS } from '../../analytics/export/file-formats';
import { groupDigits } from '../../pages/statistics/statistics-view';
import type { Fact, RowList, StatisticsView } from '../../pages/statistics/statistics-view';
import type { LegacyFacts } from './legacy-stats.response';

/** What the statistics page shows: the v0 facts, and the lists with their labels unchanged. */
export function viewOf(
  stats: LegacyFacts,
  lifetime: AllTimeStatistics,
  shortUrl: string,
): StatisticsView {
  return {
    alias: stats.short_code,
    shortUrl,
    totals: [
      { name: 'Clicks', value: groupDigits(stats['total-clicks']) },
      { name: 'Visitors', value: groupDigits(stats.total_unique_clicks) },
      { name: 'Clicks a day', value: String(stats.average_daily_clicks) },
      { name: 'Redirect time', value: `${stats.average_redirection_time} ms` },
    ],
    facts: [...linkFacts(stats), ...lastClick(stats)],
    days: lifetime.totalClicks === 0 ? [] : lifetime.lists.time.rows,
    lists: [
      list('Referrer', lifetime, 'referrer'),
      list('Country', lifetime, 'country'),
      list('Browser', lifetime, 'browser'),
      list('System', lifetime, 'os'),
      list('Bot', lifetime, 'bot'),
    ],
    formats: EXPORT_FORMATS,
  };
}

function list(title: string, { lists }: AllTimeStatistics, dimension: AllTimeDimension): RowList {
  const { rows, cut } = lists[dimension];
  return { title, rows, cut };
}

function linkFacts(stats: LegacyFacts): Fact[] {
  return [
    { name: 'Leads to', value: stats.url === '' ? 'nowhere any more' : stats.url },
    { name: 'Created', value: `${stats['creation-date']} ${stats['creation-time']} UTC` },
    { name: 'Expires', value: utc(stats['expiration-time']) },
    { name: 'Closes after', value: clicks(stats['max-clicks']) },
    { name: 'Password', value: stats.password === null ? 'none' : 'needed' },
    { name: 'Known bots', value: stats['block-bots'] ? 'turned away' : 'let through' },
  ];
}

function lastClick(stats: LegacyFacts): Fact[] {
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

import type { FigureRow } from '../../analytics/engine/statistics-engine';
import type { Lifetime } from '../../analytics/lifetime';
import { isExpired, type Link } from '../../links/lookup/link';
import type { Counts, LegacyStats } from './legacy-stats';

const DAY_MS = 86_400_000;

/**
 * The v0 object of contract 13.3.
 *
 * @param now milliseconds since 1970-01-01 UTC
 */
export function presentLegacyStats(link: Link, lifetime: Lifetime, now: number): LegacyStats {
  const { totalClicks, uniqueClicks, lastClick, browsers, systems, countries } = lifetime;
  const days = totalClicks === 0 ? [] : lifetime.days;
  const referrers = withoutDots(lifetime.referrers);
  return {
    _id: link.alias,
    short_code: link.alias,
    url: link.longUrl,
    'total-clicks': totalClicks,
    total_unique_clicks: uniqueClicks,
    'max-clicks': link.maxClicks === null ? null : String(link.maxClicks),
    'expiration-time': link.expireAfter && moment(link.expireAfter),
    password: link.passwordHash === null ? null : '********',
    'block-bots': link.blockBots,
    expired: isReached(link, now),
    'creation-date': moment(link.createdAt).slice(0, 10),
    'creation-time': moment(link.createdAt).slice(11),
    'last-click': lastClick && moment(new Date(lastClick.at)),
    'last-click-browser': lastClick && lastClick.browser,
    'last-click-os': lastClick && lastClick.os,
    'last-click-country': lastClick && lastClick.country,
    average_daily_clicks: rounded(totalClicks / (ageInDays(link, now) + 1)),
    average_weekly_clicks: rounded(totalClicks / 7),
    average_monthly_clicks: rounded(totalClicks / 30),
    average_redirection_time: rounded(lifetime.averageRedirectMs),
    counter: counts(days, 'clicks'),
    unique_counter: counts(days, 'visitors'),
    browser: counts(browsers, 'clicks'),
    os_name: counts(systems, 'clicks'),
    country: counts(countries, 'clicks'),
    referrer: counts(referrers, 'clicks'),
    bots: counts(withoutDots(lifetime.bots), 'clicks'),
    unique_browser: counts(browsers, 'visitors'),
    unique_os_name: counts(systems, 'visitors'),
    unique_country: counts(countries, 'visitors'),
    unique_referrer: counts(referrers, 'visitors'),
  };
}

/** Own properties whatever the label, `__proto__` too; equal labels add up. */
function counts(rows: readonly FigureRow[], metric: 'clicks' | 'visitors'): Counts {
  const sums = new Map<string, number>();
  for (const row of rows) sums.set(row.label, (sums.get(row.label) ?? 0) + row[metric]);
  return Object.fromEntries(sums);
}

function withoutDots(rows: readonly FigureRow[]): FigureRow[] {
  return rows.map((row) => ({ ...row, label: row.label.replaceAll('.', '_') }));
}

/** Whether limit or expiry is reached; null when the link has neither. */
function isReached(link: Link, now: number): boolean | null {
  if (link.maxClicks === null && link.expireAfter === null) return null;
  return isExpired(link, now) || (link.maxClicks !== null && link.usedSlots >= link.maxClicks);
}

/** Calendar days between the day of creation and today. */
function ageInDays({ createdAt }: Link, now: number): number {
  return Math.floor(now / DAY_MS) - Math.floor(createdAt.getTime() / DAY_MS);
}

function moment(date: Date): string {
  return date.toISOString().slice(0, 19).replace('T', ' ');
}

function rounded(value: number): number {
  return Math.round(value * 100) / 100;
}

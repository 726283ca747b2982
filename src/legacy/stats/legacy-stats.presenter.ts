import type { Breakdown, Figures } from '../../analytics/engine/figures';
import { isExpired, type Link } from '../../links/lookup/link';
import type { Counts, LegacyStats } from './legacy-stats';

const DAY_MS = 86_400_000;

/**
 * The v0 object of contract 13.3.
 *
 * @param figures everything since the link's creation, by UTC day, browser, os, country, referrer
 *   and bot
 * @param now milliseconds since 1970-01-01 UTC
 */
export function presentLegacyStats(link: Link, figures: Figures, now: number): LegacyStats {
  const { summary, breakdowns } = figures;
  const { last } = summary;
  const days = summary.clicks === 0 ? undefined : breakdowns.time;
  const referrers = withoutDots(breakdowns.referrer);
  return {
    _id: link.alias,
    short_code: link.alias,
    url: link.longUrl,
    'total-clicks': summary.clicks,
    total_unique_clicks: summary.visitors,
    'max-clicks': link.maxClicks === null ? null : String(link.maxClicks),
    'expiration-time': link.expireAfter && moment(link.expireAfter),
    password: link.passwordHash === null ? null : '********',
    'block-bots': link.blockBots,
    expired: isReached(link, now),
    'creation-date': moment(link.createdAt).slice(0, 10),
    'creation-time': moment(link.createdAt).slice(11),
    'last-click': last && moment(new Date(last.at)),
    'last-click-browser': last && last.browser,
    'last-click-os': last && last.os,
    'last-click-country': last && last.country,
    average_daily_clicks: rounded(summary.clicks / (ageInDays(link, now) + 1)),
    average_weekly_clicks: rounded(summary.clicks / 7),
    average_monthly_clicks: rounded(summary.clicks / 30),
    average_redirection_time: summary.clicks && rounded(summary.redirectMs / summary.clicks),
    counter: counts(days, 'clicks'),
    unique_counter: counts(days, 'visitors'),
    browser: counts(breakdowns.browser, 'clicks'),
    os_name: counts(breakdowns.os, 'clicks'),
    country: counts(breakdowns.country, 'clicks'),
    referrer: counts(referrers, 'clicks'),
    bots: counts(withoutDots(breakdowns.bot), 'clicks'),
    unique_browser: counts(breakdowns.browser, 'visitors'),
    unique_os_name: counts(breakdowns.os, 'visitors'),
    unique_country: counts(breakdowns.country, 'visitors'),
    unique_referrer: counts(referrers, 'visitors'),
  };
}

type Listed = Pick<Breakdown, 'labels' | 'clicks' | 'visitors'>;

/** Own properties whatever the label, `__proto__` too; equal labels add up. */
function counts(breakdown: Listed | undefined, metric: 'clicks' | 'visitors'): Counts {
  const sums = new Map<string, number>();
  breakdown?.labels.forEach((label, i) => {
    sums.set(label, (sums.get(label) ?? 0) + (breakdown[metric][i] ?? 0));
  });
  return Object.fromEntries(sums);
}

function withoutDots(breakdown: Listed | undefined): Listed | undefined {
  const labels = breakdown?.labels.map((label) => label.replaceAll('.', '_'));
  return breakdown && labels && { ...breakdown, labels };
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

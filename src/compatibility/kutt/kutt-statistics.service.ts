import { Injectable } from '@nestjs/common';
import type { StatisticsClient } from '../../analytics/engine/statistics-engine';
import { LinkStatisticsService } from '../../analytics/link-statistics.service';
import { MAX_RESULT_ROWS } from '../../engines/click-engine/query/statistics-query';
import type { Link } from '../../stores/links/link';

type Rows = readonly { readonly label: string; readonly clicks: number }[];

/** Parts of our names (docs/contract.md#8.4), in the order in which they are tried. */
type NameParts = readonly (readonly [part: RegExp, name: string])[];

export const BROWSERS: NameParts = [
  [/edge/i, 'edge'],
  [/opera/i, 'opera'],
  [/firefox/i, 'firefox'],
  [/^(?:mobile )?chrom(?:e|ium)$/i, 'chrome'],
  [/^(?:mobile )?safari$/i, 'safari'],
  [/explorer/i, 'ie'],
];
export const SYSTEMS: NameParts = [
  [/android/i, 'android'],
  [/^(?:ios|ipados)$/i, 'ios'],
  [/^mac/i, 'macos'],
  [/^windows(?! phone)/i, 'windows'],
  [/linux|ubuntu|fedora|debian/i, 'linux'],
];

const DIMENSIONS = ['time', 'browser', 'os', 'country', 'referrer'] as const;

/** The link's statistics for the periods of Kutt (docs/contract.md#35.3). */
@Injectable()
export class KuttStatisticsService {
  constructor(private readonly statistics: LinkStatisticsService) {}

  async count(link: Link, client: StatisticsClient, now: number) {
    const [lastDay, lastWeek, lastMonth, lastYear] = await Promise.all(
      kuttPeriods(now).map(async ({ start, buckets }) => {
        const period = { start, end: now, timezone: 'UTC' };
        const question = { link, period, isOpen: true, audience: 'all', buckets, client } as const;
        const { lists } = await this.statistics.count(question, DIMENSIONS, MAX_RESULT_ROWS);
        const views = lists.time.rows.map(({ clicks }) => clicks);
        return {
          stats: {
            browser: groupRows(lists.browser.rows, BROWSERS),
            os: groupRows(lists.os.rows, SYSTEMS),
            country: toPairs(lists.country.rows),
            referrer: toPairs(lists.referrer.rows),
          },
          views,
          total: views.reduce((sum, clicks) => sum + clicks, 0),
        };
      }),
    );
    return { lastDay, lastWeek, lastMonth, lastYear, updatedAt: new Date(now).toISOString() };
  }
}

/** 24 hours, 7 days, 30 days and 12 months by the UTC calendar, up to the current one. */
export function kuttPeriods(now: number) {
  const at = new Date(now);
  const [year, month, day] = [at.getUTCFullYear(), at.getUTCMonth(), at.getUTCDate()];
  return [
    { start: Date.UTC(year, month, day, at.getUTCHours() - 23), buckets: 'hourly' },
    { start: Date.UTC(year, month, day - 6), buckets: 'daily' },
    { start: Date.UTC(year, month, day - 29), buckets: 'daily' },
    { start: Date.UTC(year, month - 11), buckets: 'monthly' },
  ] as const;
}

/** Adds up the values that have the same name in Kutt, most clicks first. */
export function groupRows(rows: Rows, parts: NameParts): { name: string; value: number }[] {
  const sums = new Map<string, number>();
  for (const { label, clicks } of rows) {
    const [, name = 'other'] = parts.find(([part]) => part.test(label)) ?? [];
    sums.set(name, (sums.get(name) ?? 0) + clicks);
  }
  return Array.from(sums, ([name, value]) => ({ name, value })).sort((a, b) => b.value - a.value);
}

function toPairs(rows: Rows): { name: string; value: number }[] {
  return rows.map(({ label, clicks }) => ({ name: label, value: clicks }));
}

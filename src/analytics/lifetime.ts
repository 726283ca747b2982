import type { ResultRow } from './engine/statistics-engine';
import type { LatestClick, Summary } from './engine/figures';

/** The lists of v0 statistics. `time` has one row a day (UTC), from the link’s creation on. */
export const ALL_TIME_DIMENSIONS = [
  'time',
  'browser',
  'os',
  'country',
  'referrer',
  /** Crawlers by the text that gave them away. */
  'bot',
] as const;
export type AllTimeDimension = (typeof ALL_TIME_DIMENSIONS)[number];

/** What v0 statistics and the statistics page show of one link: everything, since its creation. */
export interface AllTimeTotals {
  totalClicks: number;
  uniqueClicks: number;
  /** Milliseconds; null without clicks. */
  firstClick: number | null;
  lastClick: LatestClick | null;
  /** Milliseconds, not rounded; 0 without clicks. */
  averageRedirectMs: number;
}

/** The largest rows of a list, and the sums of those that were cut: of their clicks and visitors. */
export interface AllTimeList {
  rows: readonly ResultRow[];
  cut: { values: number; clicks: number; visitors: number };
}

export interface AllTimeStatistics extends AllTimeTotals {
  lists: Record<AllTimeDimension, AllTimeList>;
}

export function totalsOf({ clicks, visitors, first, last, redirectMs }: Summary): AllTimeTotals {
  return {
    totalClicks: clicks,
    uniqueClicks: visitors,
    firstClick: first,
    lastClick: last,
    averageRedirectMs: clicks === 0 ? 0 : redirectMs / clicks,
  };
}

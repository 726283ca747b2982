import type { FigureRow } from './engine/statistics-engine';
import type { LatestClick, Summary } from './engine/figures';

/** The lists of v0 statistics. `time` has one row a day (UTC), from the link’s creation on. */
export const LIFETIME_DIMENSIONS = [
  'time',
  'browser',
  'os',
  'country',
  'referrer',
  /** Crawlers by the text that gave them away. */
  'bot',
] as const;
export type LifetimeDimension = (typeof LIFETIME_DIMENSIONS)[number];

/** What v0 statistics and the statistics page show of one link: everything, since its creation. */
export interface LifetimeTotals {
  totalClicks: number;
  uniqueClicks: number;
  /** Milliseconds; null without clicks. */
  firstClick: number | null;
  lastClick: LatestClick | null;
  /** Milliseconds, not rounded; 0 without clicks. */
  averageRedirectMs: number;
}

/** The largest rows of a list, and the sums of those that were cut: of their clicks and visitors. */
export interface LifetimeList {
  rows: readonly FigureRow[];
  cut: { values: number; clicks: number; visitors: number };
}

export interface Lifetime extends LifetimeTotals {
  lists: Record<LifetimeDimension, LifetimeList>;
}

export function totalsOf({ clicks, visitors, first, last, redirectMs }: Summary): LifetimeTotals {
  return {
    totalClicks: clicks,
    uniqueClicks: visitors,
    firstClick: first,
    lastClick: last,
    averageRedirectMs: clicks === 0 ? 0 : redirectMs / clicks,
  };
}

import type { FigureRow } from './engine/statistics-engine';
import type { LatestClick } from './engine/figures';

/** What v0 statistics and the statistics page show of one link: everything, since its creation. */
export interface Lifetime {
  totalClicks: number;
  uniqueClicks: number;
  /** Milliseconds; null without clicks. */
  firstClick: number | null;
  lastClick: LatestClick | null;
  /** Milliseconds, not rounded; 0 without clicks. */
  averageRedirectMs: number;
  /** One row a day (UTC), from the link’s creation to today. */
  days: FigureRow[];
  browsers: FigureRow[];
  systems: FigureRow[];
  countries: FigureRow[];
  referrers: FigureRow[];
  /** Crawlers by the text that gave them away. */
  bots: FigureRow[];
}

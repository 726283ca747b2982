import type { BucketRule } from '../calendar/time-buckets';
import type { Dimension } from './dimension';
import type { Criteria } from './selection';

/** What is asked of a set of clicks. */
export interface Question extends Criteria {
  dimensions: readonly Dimension[];
  /** Needed when `time` is among the dimensions. */
  buckets: BucketRule | null;
}

/** The latest click, with what v0 statistics show of it. */
export interface LatestClick {
  at: number;
  browser: string;
  os: string;
  country: string;
}

/** Totals over the clicks asked for; times in milliseconds, null without clicks. */
export interface Summary {
  clicks: number;
  visitors: number;
  first: number | null;
  last: LatestClick | null;
  /** Sum of the redirect times in milliseconds. */
  redirectMs: number;
}

/** A whole breakdown, ordered as it is answered; the arrays run in parallel. */
export interface Breakdown {
  labels: string[];
  clicks: Float64Array;
  visitors: Float64Array;
  /** Number of rows; fewer may stand here when the list was cut. */
  size: number;
  /** Sums over all values. */
  clicksSum: number;
  visitorsSum: number;
}

/** The answer to a {@link Question}. */
export interface Figures {
  summary: Summary;
  breakdowns: Partial<Record<Dimension, Breakdown>>;
}

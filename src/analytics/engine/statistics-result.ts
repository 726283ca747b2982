import type { BucketRule } from '../calendar/time-buckets';
import type { Dimension } from '../dimensions';
import type { Criteria } from './row-filter';

/** What is asked of a set of clicks. */
export interface StatisticsQuestion extends Criteria {
  dimensions: readonly Dimension[];
  /** Needed when `time` is among the dimensions. */
  buckets: BucketRule | null;
  /**
   * Dimensions whose labels are written with `_` for `.`, as v0 does; values that become equal are
   * one row, whose visitors are the sum.
   */
  underscored?: readonly Dimension[];
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

/** The answer to a {@link StatisticsQuestion}. */
export interface StatisticsResult {
  summary: Summary;
  breakdowns: Partial<Record<Dimension, Breakdown>>;
}

/** Figures with the range that they are of: of equal questions a little apart, one is counted. */
export interface CountedFigures extends StatisticsResult {
  range: { start: number; end: number };
}

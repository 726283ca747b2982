import type { Dimension } from './dimensions';

/** Row limit of JSON responses (docs/contract.md#9.3, docs/contract.md#13.3). */
export const MAX_RESULT_ROWS = 1000;

export interface LatestClick {
  at: number;
  browser: string;
  os: string;
  country: string;
}

/** Totals; times are in milliseconds, or null if there are no clicks. */
export interface Summary {
  clicks: number;
  /** Number of distinct visitors, without NO_VISITOR. */
  visitors: number;
  withoutVisitor: number;
  first: number | null;
  last: LatestClick | null;
  /** Sum of redirect times in milliseconds. */
  redirectMs: number;
  /** Number of clicks without a redirect time; `redirectMs` does not include them. */
  untimed: number;
}

/** A breakdown in response order, as parallel arrays. */
export interface Breakdown {
  labels: string[];
  clicks: readonly number[];
  visitors: readonly number[];
  /** Number of all rows, including rows omitted by the limit. */
  size: number;
  /** Sums over all values; equal to the summary if a click can have several values. */
  clicksSum: number;
  visitorsSum: number;
}

export type BreakdownHead = Pick<Breakdown, 'size' | 'clicksSum' | 'visitorsSum'>;

export type BreakdownPage = Pick<Breakdown, 'labels' | 'clicks' | 'visitors'>;

export interface StatisticsResult {
  summary: Summary;
  breakdowns: Partial<Record<Dimension, Breakdown>>;
}

/** A result whose lists are serialised as JSON for `metrics` (see reportLists). */
export interface StatisticsReport {
  summary: Summary;
  /** UTF-8 bytes; a string if the result was sent over a text-only channel. */
  lists: Uint8Array | string;
  /** First labels of the list by `short_code`, if requested. */
  shortCodes?: readonly string[];
}

/** A result whose rows are read page by page with a cursor. */
export interface OpenedResult {
  cursorId: number;
  summary: Summary;
  heads: Partial<Record<Dimension, BreakdownHead>>;
}

/** Adds the counted range, because similar concurrent queries share a result. */
export type WithRange<T> = T & { range: { start: number; end: number } };

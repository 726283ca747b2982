import type { Dimension } from './dimensions';

/** Row limit of JSON responses (docs/contract.md#9.3, docs/contract.md#13.3). */
export const MAX_RESULT_ROWS = 1000;

export interface LatestClick {
  at: number;
  browser: string;
  os: string;
  country: string;
}

/** Totals; times in milliseconds, null without clicks. */
export interface Summary {
  clicks: number;
  /** Distinct visitors, excluding NO_VISITOR. */
  visitors: number;
  withoutVisitor: number;
  first: number | null;
  last: LatestClick | null;
  /** Sum in milliseconds. */
  redirectMs: number;
  /** Clicks without a redirect time, which the sum excludes. */
  untimed: number;
}

/** Breakdown in response order, as parallel arrays. */
export interface Breakdown {
  labels: string[];
  clicks: readonly number[];
  visitors: readonly number[];
  /** Total rows, including those beyond the row limit. */
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

/** A result with lists serialised to JSON: the `metrics` member, see reportLists. */
export interface StatisticsReport {
  summary: Summary;
  /** UTF-8; a string after transfer over a text-only channel. */
  lists: Uint8Array | string;
}

/** A result that is read page by page through its cursor. */
export interface OpenedResult {
  cursorId: number;
  summary: Summary;
  heads: Partial<Record<Dimension, BreakdownHead>>;
}

/** Includes the counted range, because nearly simultaneous equal queries share a result. */
export type WithRange<T> = T & { range: { start: number; end: number } };

import type { Dimension } from './dimensions';

/** Rows of an answer that is no file (docs/contract.md#9.3 and docs/contract.md#13.3). */
export const MAX_RESULT_ROWS = 1000;

/** The latest click, with what v0 statistics show of it. */
export interface LatestClick {
  at: number;
  browser: string;
  os: string;
  country: string;
}

/** Totals over the counted clicks; times in milliseconds, null without clicks. */
export interface Summary {
  clicks: number;
  /** Distinct ones; NO_VISITOR is none. */
  visitors: number;
  /** Clicks of NO_VISITOR. */
  withoutVisitor: number;
  first: number | null;
  last: LatestClick | null;
  /** Sum of the redirect times in milliseconds. */
  redirectMs: number;
  /** Clicks without a redirect time, which that sum leaves out. */
  untimed: number;
}

/** A whole breakdown, ordered as it is answered; the arrays run in parallel. */
export interface Breakdown {
  labels: string[];
  clicks: readonly number[];
  visitors: readonly number[];
  /** Number of rows; fewer may stand here when the list was cut. */
  size: number;
  /** Sums over all values; where a click may have several, those of the summary. */
  clicksSum: number;
  visitorsSum: number;
}

/** Sums of a breakdown whose rows are read page by page. */
export type BreakdownHead = Pick<Breakdown, 'size' | 'clicksSum' | 'visitorsSum'>;

/** Some rows of a breakdown. */
export type BreakdownPage = Pick<Breakdown, 'labels' | 'clicks' | 'visitors'>;

/** The answer to a StatisticsQuery. */
export interface StatisticsResult {
  summary: Summary;
  breakdowns: Partial<Record<Dimension, Breakdown>>;
}

/** A result whose lists are JSON already: the member `metrics` of an answer, see reportLists. */
export interface StatisticsReport {
  summary: Summary;
  /** UTF-8; a text where it has crossed a channel that carries no bytes. */
  lists: Uint8Array | string;
}

/** A result that is read page by page: what stands before its rows, and the cursor for them. */
export interface OpenedResult {
  cursorId: number;
  summary: Summary;
  heads: Partial<Record<Dimension, BreakdownHead>>;
}

/** With the range that was counted: of equal queries a little apart, one is counted. */
export type WithRange<T> = T & { range: { start: number; end: number } };

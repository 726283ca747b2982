import type { Dimension } from '../click-engine/dimensions';
import type { Asking, Metric, Source, StatisticsQuery } from '../click-engine/statistics-query';
import type {
  BreakdownPage,
  OpenedResult,
  StatisticsReport,
  StatisticsResult,
  WithRange,
} from '../click-engine/statistics-result';

/** State of the statistics process, for metrics. */
export interface StatisticsMetrics {
  /** Questions that were counted, and the time that took. */
  counted: number;
  countedMs: number;
  /** Refused because too much was asked, or given up. */
  refused: number;
  waiting: number;
  /** Memory of the clicks that are held for further questions. */
  heldBytes: number;
}

/** A question that is to be counted, under a name by which it can be cancelled. */
interface StatisticsQuestion {
  readonly call: string;
  readonly source: Source;
  readonly query: StatisticsQuery;
  readonly asking: Asking;
}

/** Calls of web processes to the statistics process, through the primary. */
export interface StatisticsCalls {
  /** A result with at most `rows` rows a breakdown, all of them when it is null. */
  count: {
    request: StatisticsQuestion & { readonly rows: number | null };
    response: WithRange<StatisticsResult>;
  };
  /** The same with its lists written as JSON. */
  report: {
    request: StatisticsQuestion & { readonly rows: number; readonly metrics: readonly Metric[] };
    response: WithRange<StatisticsReport>;
  };
  /** An uncut result, held for `rows` calls until it is released. */
  open: { request: StatisticsQuestion; response: OpenedResult };
  rows: CountingCalls['rows'];
  release: CountingCalls['release'];
  /** Nobody waits for that call any more. */
  cancel: { request: { readonly call: string }; response: undefined };
  status: { request: null; response: StatisticsMetrics };
}

declare module '../processes/rpc/primary-calls' {
  /** The same calls as web processes name them to the primary, which passes them on. */
  interface PrimaryCalls {
    'statistics.count': StatisticsCalls['count'];
    'statistics.report': StatisticsCalls['report'];
    'statistics.open': StatisticsCalls['open'];
    'statistics.rows': StatisticsCalls['rows'];
    'statistics.release': StatisticsCalls['release'];
    'statistics.cancel': StatisticsCalls['cancel'];
  }
}

/** Set in shared memory when nobody waits any more: a message would wait for the counting to end. */
interface Cancellable {
  readonly cancelled: Int32Array;
}

/** Calls of the statistics process to its counting thread. */
export interface CountingCalls {
  /** A result with at most `rows` rows a breakdown. */
  count: {
    request: Cancellable & {
      readonly source: Source;
      readonly query: StatisticsQuery;
      readonly rows: number;
    };
    response: StatisticsResult;
  };
  report: {
    request: CountingCalls['count']['request'] & { readonly metrics: readonly Metric[] };
    response: StatisticsReport;
  };
  /** An uncut result, held for `rows` calls until it is released. */
  open: {
    request: Cancellable & { readonly source: Source; readonly query: StatisticsQuery };
    response: OpenedResult;
  };
  /** Never more than one page, so that no message is large. */
  rows: {
    request: {
      readonly cursorId: number;
      readonly dimension: Dimension;
      readonly from: number;
      readonly count: number;
    };
    response: BreakdownPage;
  };
  release: { request: { readonly cursorId: number }; response: undefined };
  /** Memory of the clicks that are held for further questions. */
  heldBytes: { request: null; response: number };
  /** Saves these clicks for the process that comes after this one. */
  save: { request: null; response: undefined };
}

import type { Dimension } from '../engines/click-engine/dimensions';
import type { Metric } from '../engines/click-engine/statistics-query';
import type {
  BreakdownPage,
  OpenedResult,
  StatisticsReport,
  StatisticsResult,
  WithRange,
} from '../engines/click-engine/statistics-result';
import type { StatisticsQuestion } from './statistics-engine';

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

/** A question as it crosses processes: its client is a key, and its end is told by `cancel`. */
export interface SentQuestion extends Omit<StatisticsQuestion, 'client'> {
  readonly client: string;
}

/** A question that is under way, under a name by which it can be cancelled. */
interface NamedQuestion extends SentQuestion {
  readonly call: string;
}

/** Calls of web processes to the statistics process, through the primary. */
export interface StatisticsCalls {
  /** A result with at most `rows` rows a breakdown, all of them when it is null. */
  count: {
    request: NamedQuestion & { readonly rows: number | null };
    response: WithRange<StatisticsResult>;
  };
  /** The same with its lists written as JSON. */
  report: {
    request: NamedQuestion & { readonly rows: number; readonly metrics: readonly Metric[] };
    response: WithRange<StatisticsReport>;
  };
  /** An uncut result, held for `rows` calls until it is released. */
  open: { request: NamedQuestion; response: OpenedResult };
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

import type { Dimension } from '../../engines/click-engine/query/dimensions';
import type { Metric } from '../../engines/click-engine/query/statistics-query';
import type {
  BreakdownPage,
  OpenedResult,
  StatisticsReport,
  StatisticsResult,
  WithRange,
} from '../../engines/click-engine/query/statistics-result';
import type { StatisticsQuestion } from './statistics-engine';

export interface StatisticsMetrics {
  counted: number;
  countedMs: number;
  /** Number of queries that timed out or were rejected because of load. */
  refused: number;
  waiting: number;
  heldBytes: number;
}

/** A serializable query. The client is a key, and `cancel` replaces the abort signal. */
export interface SentQuestion extends Omit<StatisticsQuestion, 'client'> {
  readonly client: string;
}

interface NamedQuestion extends SentQuestion {
  readonly call: string;
}

export interface StatisticsCalls {
  count: {
    request: NamedQuestion & { readonly rows: number | null };
    response: WithRange<StatisticsResult>;
  };
  report: {
    request: NamedQuestion & { readonly rows: number; readonly metrics: readonly Metric[] };
    response: WithRange<StatisticsReport>;
  };
  open: { request: NamedQuestion; response: OpenedResult };
  /** Returns at most one page, to limit the message size. */
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
  cancel: { request: { readonly call: string }; response: undefined };
  status: { request: null; response: StatisticsMetrics };
}

declare module '../../processes/rpc/primary-calls' {
  interface PrimaryCalls {
    'statistics.count': StatisticsCalls['count'];
    'statistics.report': StatisticsCalls['report'];
    'statistics.open': StatisticsCalls['open'];
    'statistics.rows': StatisticsCalls['rows'];
    'statistics.release': StatisticsCalls['release'];
    'statistics.cancel': StatisticsCalls['cancel'];
  }
}

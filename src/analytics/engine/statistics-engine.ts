import type { Dimension } from '../../engines/click-engine/query/dimensions';
import type {
  Metric,
  Source,
  StatisticsQuery,
} from '../../engines/click-engine/query/statistics-query';
import type {
  BreakdownPage,
  OpenedResult,
  StatisticsReport,
  StatisticsResult,
  WithRange,
} from '../../engines/click-engine/query/statistics-result';

/** Queueing is fair between clients; the queries of a disconnected client are cancelled. */
export interface StatisticsClient {
  /** The account id, or the address as used for rate limits. */
  readonly key: string;
  readonly signal?: AbortSignal;
}

export interface StatisticsQuestion {
  readonly source: Source;
  readonly query: StatisticsQuery;
  readonly client: StatisticsClient;
  /** Range and filters as received; equal keys differ only in "now". Null if unique. */
  readonly requestKey: string | null;
  /** Known clicks of the link; null unless the scope is one link. */
  readonly clicks: number | null;
  /** Public results are cached for some seconds. */
  readonly isPublic: boolean;
}

/**
 * Exact figures of recorded clicks; plain values only, so that the engine is replaceable.
 * @throws the errors of statistics.errors.ts, DatabaseUnavailableError
 */
export abstract class StatisticsEngine {
  /** At most `rows` rows per breakdown; its sums cover all rows. */
  abstract count(question: StatisticsQuestion, rows: number): Promise<WithRange<StatisticsResult>>;

  /** Returns lists as JSON, which costs more to serialize than to transfer. */
  abstract report(
    question: StatisticsQuestion,
    lists: { readonly rows: number; readonly metrics: readonly Metric[] },
  ): Promise<WithRange<StatisticsReport>>;

  /** For results of any size, read page by page; the caller must release it. */
  abstract open(question: StatisticsQuestion): Promise<OpenedResult>;

  abstract rows(
    cursorId: number,
    dimension: Dimension,
    from: number,
    count: number,
  ): Promise<BreakdownPage>;

  /** Never rejects; unread results expire after a minute. */
  abstract release(cursorId: number): Promise<void>;
}
